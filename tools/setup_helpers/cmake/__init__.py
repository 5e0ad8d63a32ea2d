"""CMake: what a configuration depends on, the options it is given, and the run itself."""
