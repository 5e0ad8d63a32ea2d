"""Run the code generation stages whose inputs changed, each into an output directory that it owns."""
