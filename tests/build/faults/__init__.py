"""The fault campaign: damage a tree, and check that the next build repairs it."""
