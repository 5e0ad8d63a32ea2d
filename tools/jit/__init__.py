"""Code generated for interpreters: the table of operators by signature."""
