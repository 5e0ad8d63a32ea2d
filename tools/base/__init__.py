"""What every layer needs and no layer owns: errors, files, processes, and the formats of Ninja and CMake."""
