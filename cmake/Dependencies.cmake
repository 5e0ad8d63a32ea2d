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

# ---[ The emulated CUDA device
if(CUDA_EMULATION)
  add_library(emulated_cuda_headers INTERFACE)
  target_include_directories(emulated_cuda_headers INTERFACE
    "${CMAKE_SOURCE_DIR}/c10/cuda/emulated/include")
  # Without Boost's CMake package, which old installations lack.
  find_library(BOOST_CONTEXT_LIBRARY boost_context REQUIRED)
  add_library(boost_context INTERFACE)
  target_link_libraries(boost_context INTERFACE "${BOOST_CONTEXT_LIBRARY}" ${CMAKE_DL_LIBS})
endif()

# ---[ Linear algebra
include(BlasLibrary)
