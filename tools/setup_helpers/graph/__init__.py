"""Configuring and running the build graph: CMake, Ninja, the toolchain, the compiler cache."""
