# Options of the build.
option(BUILD_PYTHON "Build the Python module" ON)
option(USE_OPENMP "Use OpenMP" ON)
set(ATEN_THREADING "OMP" CACHE STRING "Threading backend: OMP or NATIVE")
