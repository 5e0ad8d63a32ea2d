"""The fault campaign: what is done to a tree, and whether the next build makes it right."""
