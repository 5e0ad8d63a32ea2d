"""The families of generated files, one module for each."""
