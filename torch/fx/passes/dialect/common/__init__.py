"""Passes for graphs of any dialect."""
