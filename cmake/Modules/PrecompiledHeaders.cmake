# Let canonical_command.sh precompile the headers of the C++ library (cmake/standard_headers.h) when no compiler cache
# is used. GCC makes the same objects with them and ignores precompiled headers that do not fit; other
# compilers refuse those. The script reads the compiler from a file, because on the command line it would
# make Ninja compile everything again when the option changes.
set(compiler "")
if(USE_PRECOMPILED_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(compiler "${CMAKE_CXX_COMPILER}\n")
endif()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/precompiled_headers.txt" CONTENT "@compiler@" @ONLY)
