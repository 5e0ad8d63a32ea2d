# ccache or sccache in front of the compilers of C, C++ and CUDA, so that another checkout hits too.
# Nothing on the way to the cache's key may depend on where the checkout lies: neither an argument nor
# the working directory. What the objects say of it, -ffile-prefix-map takes out.
#   COMPILER_CACHE   auto (the first that is found), ccache, sccache or none
if(NOT COMPILER_CACHE)
  set(COMPILER_CACHE auto)
endif()
set(names ${COMPILER_CACHE})
if(COMPILER_CACHE STREQUAL "auto")
  set(names ccache sccache)
endif()

get_filename_component(known "${COMPILER_CACHE_PROGRAM}" NAME)
if(NOT known IN_LIST names OR NOT EXISTS "${COMPILER_CACHE_PROGRAM}") # another one is wanted, or it is gone
  unset(COMPILER_CACHE_PROGRAM CACHE)
endif()
find_program(COMPILER_CACHE_PROGRAM NAMES ${names})
mark_as_advanced(COMPILER_CACHE_PROGRAM)

set(launcher)
set(in_use "")
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(COMPILER_CACHE_NOTE "${CMAKE_CXX_COMPILER_LAUNCHER} (given)")
  set(in_use ${CMAKE_CXX_COMPILER_LAUNCHER})
  list(FILTER in_use INCLUDE REGEX "(^|/)s?ccache$")
elseif(COMPILER_CACHE STREQUAL "none" OR NOT COMPILER_CACHE_PROGRAM)
  set(COMPILER_CACHE_NOTE "none")
else()
  set(COMPILER_CACHE_NOTE "${COMPILER_CACHE_PROGRAM}")
  set(in_use "${COMPILER_CACHE_PROGRAM}")
  if(COMPILER_CACHE_PROGRAM MATCHES "sccache$")
    file(RELATIVE_PATH to_sources "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
    string(REGEX REPLACE "/$" "" to_sources "${to_sources}")
    set(launcher sh "${CMAKE_CURRENT_LIST_DIR}/relative_paths.sh"
      "${CMAKE_SOURCE_DIR}" "${to_sources}" "${CMAKE_BINARY_DIR}" "${COMPILER_CACHE_PROGRAM}")
  else()
    set(launcher env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros "${COMPILER_CACHE_PROGRAM}")
  endif()
endif()
if(launcher)
  foreach(language IN ITEMS C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher})
  endforeach()
endif()
# The front end asks this program what it answered.
set(COMPILER_CACHE_IN_USE "${in_use}" CACHE INTERNAL "Program of the compiler cache")
