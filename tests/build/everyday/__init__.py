"""The campaign over everyday edits: random edits and builds, each compared with a clean build."""
