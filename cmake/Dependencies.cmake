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

# ---[ BLAS: OpenBLAS from its wheel on PyPI; the library is copied into the package
add_library(blas SHARED IMPORTED)
if(BLAS STREQUAL "OpenBLAS")
  set(openblas "${PYTHON_PACKAGE_scipy_openblas32}")
  file(GLOB openblas_source "${openblas}/lib/libscipy_openblas*.so")
  if(NOT openblas OR NOT openblas_source)
    message(FATAL_ERROR "BLAS=OpenBLAS: ${Python_EXECUTABLE} has no scipy-openblas32; install it with pip install scipy-openblas32")
  endif()
  # pip's isolated builds install it in another folder each time. Compiling against a copy in a fixed
  # place keeps all commands, and so all objects, the same while the library's bytes are the same.
  set(openblas_copy "${CMAKE_BINARY_DIR}/third_party/openblas")
  get_filename_component(openblas_name "${openblas_source}" NAME)
  set(BLAS_LIBRARY "${openblas_copy}/${openblas_name}")
  file(MAKE_DIRECTORY "${openblas_copy}/include")
  file(GLOB headers RELATIVE "${openblas}/include" "${openblas}/include/*.h")
  foreach(header IN LISTS headers)
    file(COPY_FILE "${openblas}/include/${header}" "${openblas_copy}/include/${header}" ONLY_IF_DIFFERENT)
  endforeach()
  file(SIZE "${openblas_source}" openblas_size)
  file(TIMESTAMP "${openblas_source}" openblas_time "%s" UTC)
  set(openblas_stamp "${openblas_source} ${openblas_size} ${openblas_time}")
  set(openblas_identity "${OPENBLAS_IDENTITY}")
  if(NOT openblas_stamp STREQUAL OPENBLAS_STAMP)
    file(SHA256 "${openblas_source}" openblas_identity)
    set(OPENBLAS_STAMP "${openblas_stamp}" CACHE INTERNAL "Path, size and time of the library; its bytes are read when these change")
  endif()
  if(NOT EXISTS "${BLAS_LIBRARY}" OR NOT openblas_identity STREQUAL OPENBLAS_IDENTITY)
    if(CMAKE_STRIP) # strip the names of local functions, as in our own libraries
      execute_process(
        COMMAND "${CMAKE_STRIP}" --strip-unneeded -o "${BLAS_LIBRARY}" "${openblas_source}"
        COMMAND_ERROR_IS_FATAL ANY)
    else()
      file(COPY_FILE "${openblas_source}" "${BLAS_LIBRARY}")
    endif()
    set(OPENBLAS_IDENTITY "${openblas_identity}" CACHE INTERNAL "Digest of the library that was copied")
  endif()
  set_target_properties(blas PROPERTIES
    IMPORTED_LOCATION "${BLAS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${openblas_copy}/include")
endif()

# ---[ GoogleTest
if(BUILD_TEST)
  find_package(GTest REQUIRED)
endif()
