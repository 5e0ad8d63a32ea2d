"""The campaign over everyday edits: what is edited, how it is built, and whether the build did what it had to."""
