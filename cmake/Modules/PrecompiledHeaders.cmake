# Every C++ source reads the same headers of the system first. canonical_command.sh has GCC read them precompiled where no
# compiler cache is used. The command does not say so: the object is the same either way, so nothing has to be
# compiled again when a cache is installed. Other compilers refuse precompiled headers that do not fit.
if(USE_PRECOMPILED_HEADERS)
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-include${CMAKE_SOURCE_DIR}/cmake/standard_headers.h>")
endif()
