# What the enabled options need from the machine.
find_package(Threads REQUIRED)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)

# ---[ Compiler cache
find_program(CCACHE_PROGRAM NAMES ccache sccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros
    "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
endif()

# ---[ Linker
find_program(MOLD_PROGRAM NAMES mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

# ---[ OpenMP
if(USE_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
endif()

# ---[ BLAS
execute_process(
  COMMAND "${Python_EXECUTABLE}" -c "import scipy_openblas32 as s; print(s.get_include_dir(), s.get_lib_dir(), sep=';', end='')"
  OUTPUT_VARIABLE blas_dirs RESULT_VARIABLE blas_status)
if(NOT blas_status EQUAL 0)
  message(FATAL_ERROR "OpenBLAS (Python package scipy-openblas32) is not installed in ${Python_EXECUTABLE}")
endif()
list(GET blas_dirs 0 blas_include)
list(GET blas_dirs 1 blas_lib)
add_library(blas SHARED IMPORTED)
set_target_properties(blas PROPERTIES
  IMPORTED_LOCATION "${blas_lib}/libscipy_openblas.so"
  INTERFACE_INCLUDE_DIRECTORIES "${blas_include}"
  IMPORTED_NO_SYSTEM ON)
