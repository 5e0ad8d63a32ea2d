"""The model of native_functions.yaml, and the generators of the ATen families."""
