# Libraries and tools that the enabled options need from the machine.
find_package(Threads REQUIRED)
if(BUILD_PYTHON)
  include(PythonModule)
endif()
include(CompilerCache)
include(FastLinker)

# ---[ OpenMP: all supported compilers accept this flag, and the option's probe has tested it
add_library(openmp INTERFACE)
if(USE_OPENMP)
  target_compile_options(openmp INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
  target_link_options(openmp INTERFACE -fopenmp)
endif()

# ---[ Linear algebra
include(BlasLibrary)
