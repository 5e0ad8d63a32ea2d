"""The build front end, the code generators, and tools for maintainers."""
