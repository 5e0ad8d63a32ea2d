# Libraries and tools that the enabled options need from the machine.
find_package(Threads REQUIRED)
if(BUILD_PYTHON)
  include(PythonModule)
endif()
include(CompilerCache)
include(PrecompiledHeaders)
include(FastLinker)

# ---[ OpenMP: all supported compilers accept this flag, and the option's probe has tested it
add_library(openmp INTERFACE)
if(USE_OPENMP)
  target_compile_options(openmp INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
  target_link_options(openmp INTERFACE -fopenmp)
endif()

# ---[ shm_open: until glibc 2.34 it is in librt, which is empty since then
add_library(shared_memory INTERFACE)
target_link_libraries(shared_memory INTERFACE rt)

# ---[ dladdr: until glibc 2.34 it is in libdl, which is empty since then
add_library(dynamic_loader INTERFACE)
target_link_libraries(dynamic_loader INTERFACE ${CMAKE_DL_LIBS})

# ---[ The CUDA runtime: the toolkit's, or the emulated device
add_library(cuda_runtime INTERFACE)
if(USE_CUDA)
  find_package(CUDAToolkit REQUIRED)
  # One runtime for all libraries of the process, so that they share streams and errors. It is linked by its path,
  # and nothing else that CMake adds for CUDA is needed.
  set(CMAKE_CUDA_RUNTIME_LIBRARY None)
  set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "")
  target_link_libraries(cuda_runtime INTERFACE CUDA::cudart)
endif()
# The architectures of the kernels, as torch.cuda.get_arch_list() reports them: `sm_90 compute_90`.
add_library(cuda_architectures INTERFACE)
if(USE_CUDA)
  set(architectures "${CMAKE_CUDA_ARCHITECTURES}")
  foreach(word IN ITEMS all-major all native)
    string(TOUPPER "${word}" variable)
    string(REPLACE "-" "_" variable "CMAKE_CUDA_ARCHITECTURES_${variable}")
    if("${architectures}" STREQUAL word)
      set(architectures "${${variable}}")
    endif()
  endforeach()
  set(flags "")
  foreach(architecture IN LISTS architectures)
    if(NOT architecture MATCHES "-virtual$")
      string(REGEX REPLACE "^([0-9]+[af]?).*" "sm_\\1" flag "${architecture}")
      list(APPEND flags "${flag}")
    endif()
    if(NOT architecture MATCHES "-real$")
      string(REGEX REPLACE "^([0-9]+[af]?).*" "compute_\\1" flag "${architecture}")
      list(APPEND flags "${flag}")
    endif()
  endforeach()
  list(JOIN flags " " flags)
  target_compile_definitions(cuda_architectures INTERFACE TORCH_CUDA_ARCH_FLAGS="${flags}")
endif()
# Each library that an option found, by its name. Its headers are copied, because its folder may have another
# release of the toolkit's headers, and so that commands do not depend on where it is.
foreach(name IN LISTS CUDA_LIBRARIES)
  set(copy "${CMAKE_BINARY_DIR}/third_party/${name}/include")
  file(MAKE_DIRECTORY "${copy}")
  file(GLOB headers RELATIVE "${CUDA_HEADERS_${name}}" "${CUDA_HEADERS_${name}}/${name}*.h")
  foreach(header IN LISTS headers)
    file(COPY_FILE "${CUDA_HEADERS_${name}}/${header}" "${copy}/${header}" ONLY_IF_DIFFERENT)
  endforeach()
  add_library(${name} INTERFACE)
  target_include_directories(${name} SYSTEM INTERFACE "${copy}")
  target_link_libraries(${name} INTERFACE "${CUDA_LIBRARY_${name}}")
endforeach()
if(CUDA_EMULATION)
  add_library(emulated_cuda_headers INTERFACE)
  target_include_directories(emulated_cuda_headers INTERFACE
    "${CMAKE_SOURCE_DIR}/c10/cuda/emulated/include")
  # Without Boost's CMake package, which old installations lack.
  find_library(BOOST_CONTEXT_LIBRARY boost_context REQUIRED)
  add_library(boost_context INTERFACE)
  target_link_libraries(boost_context INTERFACE "${BOOST_CONTEXT_LIBRARY}" ${CMAKE_DL_LIBS})
  target_link_libraries(cuda_runtime INTERFACE cuda_emulation)
  # Kernels that only tests run: compiled in a fifth less time, and the tests take as long.
  set(kernels $<STREQUAL:$<TARGET_PROPERTY:NAME>,torch_cuda>)
  target_compile_options(cuda_runtime INTERFACE $<$<AND:${kernels},$<NOT:$<CONFIG:Debug>>>:-O1>)
  foreach(library IN ITEMS cublas nccl) # cuda_emulation has them too
    add_library(${library} INTERFACE)
  endforeach()
  foreach(library IN ITEMS cusolver cufft cudnn) # torch_cuda_linalg and torch_cuda have them
    add_library(${library} INTERFACE)
  endforeach()
  # caffe2_nvrtc has it; kernels are compiled at run time against the checkout's headers.
  add_library(nvrtc INTERFACE)
  target_compile_definitions(nvrtc INTERFACE CUDA_EMULATION_SOURCES="${CMAKE_SOURCE_DIR}")
endif()

# ---[ The headers of the C++ front end, where programs of the checkout find them
add_library(front_end_headers INTERFACE)
target_include_directories(front_end_headers INTERFACE
  "${CMAKE_SOURCE_DIR}/torch/csrc/api/include")

# ---[ Linear algebra
include(BlasLibrary)
