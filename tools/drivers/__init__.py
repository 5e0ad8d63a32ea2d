"""What runs the generators: one driver per code generation stage, the command line, and `explain operator`."""
