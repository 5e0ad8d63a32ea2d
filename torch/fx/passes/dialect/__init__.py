"""Passes for graphs of one dialect of operators."""
