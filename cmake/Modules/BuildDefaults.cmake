# Settings that all targets share and that depend on no option.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INCLUDE_DIRECTORIES_PROJECT_BEFORE ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# Libraries are linked with their final RUNPATH, so that packaging only copies them.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN")

# -O3 is worth its time only in kernels, which set it themselves.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Vectors are passed by value only within one file, where the ABI does not matter.
  add_compile_options(-Wno-psabi)
endif()
# The same result on every machine: the compiler must not contract operations into FMA.
add_compile_options(-fno-math-errno -fno-trapping-math -ffp-contract=off)
# canonical_command.sh gives the compiler artificial paths. In the objects (__FILE__, debug information)
# these become paths relative to the checkout.
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:\
-ffile-prefix-map=.sources/=./;-ffile-prefix-map=./=build/;-ffile-prefix-map=/proc/self/cwd=.>")
# Otherwise GCC replaces the path of a system header by its absolute path if that is shorter.
add_compile_options("$<$<COMPILE_LANG_AND_ID:C,GNU>:-fno-canonical-system-headers>"
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-canonical-system-headers>")
# Calls within a library go directly to the function instead of through the PLT.
add_link_options(LINKER:--as-needed LINKER:--enable-new-dtags LINKER:-Bsymbolic-functions)
