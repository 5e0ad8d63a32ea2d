"""One module per family of generated files."""
