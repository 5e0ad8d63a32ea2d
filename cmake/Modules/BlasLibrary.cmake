# The target `blas`: the library for linear algebra that BLAS= chose, with the headers that
# aten/src/ATen/native/blas/${BLAS}.cpp includes. Sets BLAS_LIBRARY to a file to copy into the package, or
# nothing if the library stays where it is.
add_library(blas INTERFACE)

# OpenBLAS comes from its wheel on PyPI, and the library is copied into the package. pip's isolated builds
# install it in another folder each time. Compiling against a copy in a fixed place keeps all commands,
# and so all objects, the same while the library's bytes are the same.
function(use_openblas)
  set(package "${PYTHON_PACKAGE_scipy_openblas32}")
  file(GLOB source "${package}/lib/libscipy_openblas*.so")
  if(NOT package OR NOT source)
    message(FATAL_ERROR "BLAS=OpenBLAS: ${Python_EXECUTABLE} has no scipy-openblas32; install it with pip install scipy-openblas32")
  endif()
  set(copy "${CMAKE_BINARY_DIR}/third_party/openblas")
  get_filename_component(name "${source}" NAME)
  set(library "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${name}") # beside libtorch_cpu, which loads it
  file(MAKE_DIRECTORY "${copy}/include" "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  file(GLOB headers RELATIVE "${package}/include" "${package}/include/*.h")
  foreach(header IN LISTS headers)
    file(COPY_FILE "${package}/include/${header}" "${copy}/include/${header}" ONLY_IF_DIFFERENT)
  endforeach()
  file(SIZE "${source}" size)
  file(TIMESTAMP "${source}" time "%s" UTC)
  set(stamp "${source} ${size} ${time}")
  set(identity "${OPENBLAS_IDENTITY}")
  if(NOT stamp STREQUAL OPENBLAS_STAMP)
    file(SHA256 "${source}" identity)
    set(OPENBLAS_STAMP "${stamp}" CACHE INTERNAL "Path, size and time of the library; its bytes are read when these change")
  endif()
  if(NOT EXISTS "${library}" OR NOT identity STREQUAL OPENBLAS_IDENTITY)
    if(CMAKE_STRIP) # strip the names of local functions, as in our own libraries
      execute_process(
        COMMAND "${CMAKE_STRIP}" --strip-unneeded -o "${library}" "${source}"
        COMMAND_ERROR_IS_FATAL ANY)
    else()
      file(COPY_FILE "${source}" "${library}")
    endif()
    set(OPENBLAS_IDENTITY "${identity}" CACHE INTERNAL "Digest of the library that was copied")
  endif()
  target_include_directories(blas INTERFACE "${copy}/include")
  target_compile_definitions(blas INTERFACE AT_OPENBLAS_LIBRARY="${name}")
  set(BLAS_LIBRARY "${library}" PARENT_SCOPE)
endfunction()

# MKL comes from its wheels and stays there: its libraries take 655 MB, and the package requires the distribution
# instead. Its headers and libraries are below the prefix of the Python environment.
function(use_mkl)
  set(include "${PYTHON_DISTRIBUTION_mkl_include}")
  set(library "${PYTHON_DISTRIBUTION_mkl}")
  if(NOT include OR NOT library)
    message(FATAL_ERROR "BLAS=MKL: ${Python_EXECUTABLE} has no MKL; install it with pip install mkl-devel")
  endif()
  get_filename_component(include "${include}" DIRECTORY)
  # Like OpenBLAS: compile against a fixed place.
  set(copy "${CMAKE_BINARY_DIR}/third_party/mkl")
  file(MAKE_DIRECTORY "${copy}/include")
  file(GLOB headers RELATIVE "${include}" "${include}/mkl*.h")
  foreach(header IN LISTS headers)
    file(COPY_FILE "${include}/${header}" "${copy}/include/${header}" ONLY_IF_DIFFERENT)
  endforeach()
  target_include_directories(blas INTERFACE "${copy}/include")
  target_link_libraries(blas INTERFACE "${library}")
endfunction()

# Any library with a CBLAS interface that CMake finds. BLA_VENDOR in CMAKE_ARGS chooses among several.
function(use_generic_blas)
  include(CheckFunctionExists)
  include(CheckSymbolExists)
  find_package(BLAS)
  find_path(CBLAS_INCLUDE_DIRECTORY cblas.h
    PATH_SUFFIXES "${CMAKE_LIBRARY_ARCHITECTURE}" openblas atlas cblas)
  find_library(CBLAS_LIBRARY NAMES cblas)
  if(NOT BLAS_FOUND OR NOT CBLAS_INCLUDE_DIRECTORY)
    message(FATAL_ERROR "BLAS=Generic: CMake finds no BLAS with cblas.h; install one, for example with apt-get install libopenblas-dev")
  endif()
  # CMake remembers answers by the name of the variable, so each library has variables of its own.
  string(MAKE_C_IDENTIFIER "${BLAS_LIBRARIES}" name)
  set(CMAKE_REQUIRED_INCLUDES "${CBLAS_INCLUDE_DIRECTORY}")
  set(libraries ${BLAS_LIBRARIES})
  if(BLA_VENDOR STREQUAL "ATLAS" AND CBLAS_LIBRARY) # before libblas, which Debian may map to another library
    list(PREPEND libraries "${CBLAS_LIBRARY}")
  endif()
  set(CMAKE_REQUIRED_LIBRARIES ${libraries})
  check_symbol_exists(cblas_zgemm cblas.h HAS_CBLAS_${name})
  if(NOT HAS_CBLAS_${name} AND CBLAS_LIBRARY)
    set(libraries "${CBLAS_LIBRARY}" ${BLAS_LIBRARIES})
    set(CMAKE_REQUIRED_LIBRARIES ${libraries})
    check_symbol_exists(cblas_zgemm cblas.h HAS_SEPARATE_CBLAS_${name})
  endif()
  if(NOT HAS_CBLAS_${name} AND NOT HAS_SEPARATE_CBLAS_${name})
    message(FATAL_ERROR "BLAS=Generic: ${BLAS_LIBRARIES} has no CBLAS interface (cblas_zgemm); install one that has, for example with apt-get install libopenblas-dev")
  endif()
  check_function_exists(dgetrf_ HAS_LAPACK_${name})
  target_include_directories(blas INTERFACE "${CBLAS_INCLUDE_DIRECTORY}")
  target_compile_definitions(blas INTERFACE AT_BLAS_HAS_LAPACK=$<BOOL:${HAS_LAPACK_${name}}>)
  target_link_libraries(blas INTERFACE ${libraries})
endfunction()

if(BLAS STREQUAL "OpenBLAS")
  use_openblas()
elseif(BLAS STREQUAL "MKL")
  use_mkl()
elseif(NOT BLAS STREQUAL "Builtin")
  use_generic_blas()
endif()
