# find_package(Torch): libtorch from an installed or editable `torch` package.
#
#   find_package(Torch REQUIRED)                   # -DCMAKE_PREFIX_PATH=$(python -c "import torch; print(torch.utils.cmake_prefix_path)")
#   target_link_libraries(program PRIVATE Torch::Torch)
#
# Defines the imported targets Torch::c10, Torch::torch_cpu and Torch::Torch, and the variables
# TORCH_FOUND, TORCH_INSTALL_PREFIX, TORCH_INCLUDE_DIRS, TORCH_LIBRARIES and TORCH_CXX_FLAGS. A build with CUDA
# also has Torch::c10_cuda and Torch::torch_cuda, if there is a CUDA toolkit; Torch::Torch includes them.

get_filename_component(TORCH_INSTALL_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(TORCH_INCLUDE_DIRS
  "${TORCH_INSTALL_PREFIX}/include"
  "${TORCH_INSTALL_PREFIX}/include/torch/csrc/api/include")
set(TORCH_CXX_FLAGS "")

# CMake may be older than nvcc and not know the standards of its language.
set(_torch_options "")
if(CMAKE_CUDA_COMPILER_LOADED AND NOT CMAKE_CUDA_STANDARD)
  set(_torch_options "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>")
endif()

function(_torch_import name)
  set(file "${TORCH_INSTALL_PREFIX}/lib/lib${name}.so")
  if(TARGET Torch::${name} OR NOT EXISTS "${file}")
    return()
  endif()
  add_library(Torch::${name} SHARED IMPORTED)
  set_target_properties(Torch::${name} PROPERTIES
    IMPORTED_LOCATION "${file}"
    INTERFACE_INCLUDE_DIRECTORIES "${TORCH_INCLUDE_DIRS}"
    INTERFACE_LINK_LIBRARIES "${ARGN}"
    INTERFACE_COMPILE_OPTIONS "${_torch_options}"
    INTERFACE_COMPILE_FEATURES cxx_std_20)
endfunction()

_torch_import(c10)
_torch_import(torch_cpu Torch::c10)
_torch_import(torch Torch::torch_cpu)
_torch_import(torch_legacy Torch::torch_cpu) # only in a build with BUILD_LEGACY_NN
_torch_import(torch_legacy_cuda Torch::torch_legacy) # and with CUDA
_torch_import(torch_legacy_types Torch::torch_cpu) # only in a build with BUILD_LEGACY_TYPES
_torch_import(torch_lazy Torch::torch_cpu) # only in a build with BUILD_LAZY
_torch_import(torch_tensorexpr Torch::torch_cpu) # only in a build with BUILD_TENSOREXPR
set(_torch_cuda "")
if(EXISTS "${TORCH_INSTALL_PREFIX}/lib/libtorch_cuda.so")
  find_package(CUDAToolkit QUIET)
  if(TARGET CUDA::cudart)
    _torch_import(c10_cuda "Torch::c10;CUDA::cudart")
    _torch_import(torch_cuda "Torch::torch_cpu;Torch::c10_cuda")
    set(_torch_cuda ";Torch::torch_cuda;Torch::c10_cuda")
  endif()
endif()
if(TARGET Torch::torch AND NOT TARGET Torch::Torch)
  add_library(Torch::Torch INTERFACE IMPORTED)
  # libtorch exists to load all backends that were built, so the linker must not drop it as unused.
  set_target_properties(Torch::Torch PROPERTIES
    INTERFACE_LINK_LIBRARIES
      "-Wl,--push-state,--no-as-needed;Torch::torch;-Wl,--pop-state;Torch::torch_cpu;Torch::c10${_torch_cuda}"
    # NVIDIA's libraries, which libtorch_cuda needs, may be where only the program's loader looks.
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
endif()
set(TORCH_LIBRARIES Torch::Torch)

set(Torch_FOUND TRUE)
foreach(_torch_name IN ITEMS c10 torch_cpu torch)
  if(NOT TARGET Torch::${_torch_name})
    set(Torch_FOUND FALSE)
    set(Torch_NOT_FOUND_MESSAGE "${TORCH_INSTALL_PREFIX}/lib has no lib${_torch_name}.so; build the package first (python setup.py develop)")
  endif()
endforeach()
set(TORCH_FOUND ${Torch_FOUND})
