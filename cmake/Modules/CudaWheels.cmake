# NVIDIA's wheels keep the toolkit's libraries where nvcc does not look, and without names that a linker finds.
# With nvcc from such a wheel, tell the host compiler and CMake where they are. Include this before project().
cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH folder)
if(EXISTS "${folder}/lib/libcudadevrt.a" AND NOT EXISTS "${folder}/lib64")
  set(ENV{LIBRARY_PATH} "${folder}/lib:$ENV{LIBRARY_PATH}")
  set(CUDAToolkit_ROOT "${folder}")
  file(GLOB runtime "${folder}/lib/libcudart.so.*")
  set(CUDA_CUDART "${runtime}" CACHE FILEPATH "The CUDA runtime")
  set(CUDA_cudart_LIBRARY "${runtime}" CACHE FILEPATH "The CUDA runtime")
endif()
