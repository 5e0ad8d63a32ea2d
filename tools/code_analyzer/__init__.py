"""Command-line tools for lists of selected operators."""
