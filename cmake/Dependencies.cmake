# What the enabled options need from the machine.
find_package(Threads REQUIRED)
if(BUILD_PYTHON)
  find_package(Python ${PYTHON_MINIMUM} REQUIRED COMPONENTS Interpreter Development.Module)
endif()
include(CompilerCache)
include(FastLinker)

# ---[ OpenMP
add_library(openmp INTERFACE)
if(USE_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  target_link_libraries(openmp INTERFACE OpenMP::OpenMP_CXX)
endif()

# ---[ BLAS: the wheel of OpenBLAS on PyPI; its library goes into the package
add_library(blas SHARED IMPORTED)
if(BLAS STREQUAL "OpenBLAS")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
      "import scipy_openblas32 as b; print(b.get_include_dir(), b.get_lib_dir(), b.get_library(), sep=';', end='')"
    OUTPUT_VARIABLE openblas RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "BLAS=OpenBLAS: ${Python_EXECUTABLE} has no scipy-openblas32; pip install scipy-openblas32")
  endif()
  list(GET openblas 0 openblas_include)
  list(GET openblas 1 openblas_folder)
  list(GET openblas 2 openblas_name)
  # A build-isolated Python lies elsewhere each time. Compiling against a copy keeps every command,
  # and so every object, the same as long as the bytes are.
  set(openblas_copy "${CMAKE_BINARY_DIR}/third_party/openblas")
  set(BLAS_LIBRARY "${openblas_copy}/lib${openblas_name}.so")
  file(MAKE_DIRECTORY "${openblas_copy}/include")
  file(GLOB headers RELATIVE "${openblas_include}" "${openblas_include}/*.h")
  foreach(header IN LISTS headers)
    file(COPY_FILE "${openblas_include}/${header}" "${openblas_copy}/include/${header}" ONLY_IF_DIFFERENT)
  endforeach()
  set(openblas_source "${openblas_folder}/lib${openblas_name}.so")
  file(SHA256 "${openblas_source}" openblas_identity)
  if(NOT EXISTS "${BLAS_LIBRARY}" OR NOT openblas_identity STREQUAL OPENBLAS_IDENTITY)
    file(COPY_FILE "${openblas_source}" "${BLAS_LIBRARY}")
    if(CMAKE_STRIP) # of the names of local functions, as our own libraries are
      execute_process(COMMAND "${CMAKE_STRIP}" --strip-unneeded "${BLAS_LIBRARY}" COMMAND_ERROR_IS_FATAL ANY)
    endif()
    set(OPENBLAS_IDENTITY "${openblas_identity}" CACHE INTERNAL "the library that was copied")
  endif()
  set_target_properties(blas PROPERTIES
    IMPORTED_LOCATION "${BLAS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${openblas_copy}/include")
endif()

# ---[ GoogleTest
if(BUILD_TEST)
  find_package(GTest REQUIRED)
endif()
