# Settings that all targets share and that depend on no option. The standard of each language comes from its row.
foreach(language IN LISTS TABLED_LANGUAGES)
  if(DEFINED LANGUAGE_${language}_STANDARD)
    set(flag CMAKE_${language}${LANGUAGE_${language}_STANDARD}_STANDARD_COMPILE_OPTION)
    if(NOT DEFINED ${flag}) # the compiler is newer than this CMake
      set(${flag} "-std=${LANGUAGE_${language}_STANDARD_NAME}")
    endif()
    set(CMAKE_${language}_STANDARD ${LANGUAGE_${language}_STANDARD})
    set(CMAKE_${language}_STANDARD_REQUIRED ON)
    set(CMAKE_${language}_EXTENSIONS ${LANGUAGE_${language}_EXTENSIONS})
  endif()
  set(CMAKE_${language}_VISIBILITY_PRESET hidden)
  # -O3 is worth its time only in kernels, which set it themselves.
  set(CMAKE_${language}_FLAGS_RELEASE "-O2 -DNDEBUG")
endforeach()
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
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

# Add arguments of GCC and Clang for all targets. Other compilers, such as nvcc, pass them to their host compiler.
function(add_gcc_options)
  list(JOIN LANGUAGES_WITH_GCC_FLAGS "," direct)
  foreach(option IN LISTS ARGN)
    add_compile_options("$<$<COMPILE_LANGUAGE:${direct}>:${option}>"
      "$<$<NOT:$<COMPILE_LANGUAGE:${direct}>>:-Xcompiler=${option}>")
  endforeach()
endfunction()

foreach(language IN LISTS TABLED_LANGUAGES)
  add_compile_options("$<$<COMPILE_LANGUAGE:${language}>:${LANGUAGE_${language}_ARGUMENTS}>")
endforeach()
add_gcc_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Vectors are passed by value only within one file, where the ABI does not matter.
  add_gcc_options(-Wno-psabi)
endif()
# The same result on every machine: the compiler must not contract operations into FMA.
add_gcc_options(-fno-math-errno -fno-trapping-math -ffp-contract=off)
# canonical_command.sh gives the compiler artificial paths. In the objects (__FILE__, debug information)
# these become paths relative to the checkout.
add_gcc_options(
  -ffile-prefix-map=.sources/=./ -ffile-prefix-map=./=build/ -ffile-prefix-map=/proc/self/cwd=.)
# Otherwise GCC replaces the path of a system header by its absolute path if that is shorter.
add_compile_options("$<$<COMPILE_LANG_AND_ID:C,GNU>:-fno-canonical-system-headers>"
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-canonical-system-headers>")
# Calls within a library go directly to the function instead of through the PLT.
add_link_options(LINKER:--as-needed LINKER:--enable-new-dtags LINKER:-Bsymbolic-functions)
# The compiler adds its own libraries, such as OpenMP's, at the end of a command. They are linked only if they
# are used, even in a library with `loads_links`.
set(CMAKE_${LINKING_LANGUAGE}_STANDARD_LIBRARIES "-Wl,--as-needed")
