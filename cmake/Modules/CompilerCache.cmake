# Launchers for the compilers of all languages: canonical_command.sh, which makes objects and cache keys
# independent of the paths of the checkout and the build directory, followed by ccache or sccache if one is
# used.
#   COMPILER_CACHE   auto (use the first one found), ccache, sccache or none
if(NOT COMPILER_CACHE)
  set(COMPILER_CACHE auto)
endif()
set(names ${COMPILER_CACHE})
if(COMPILER_CACHE STREQUAL "auto")
  set(names ccache sccache)
endif()

get_filename_component(known "${COMPILER_CACHE_PROGRAM}" NAME)
if(NOT known IN_LIST names OR NOT EXISTS "${COMPILER_CACHE_PROGRAM}") # another cache was chosen, or this one was uninstalled
  unset(COMPILER_CACHE_PROGRAM CACHE)
endif()
find_program(COMPILER_CACHE_PROGRAM NAMES ${names})
mark_as_advanced(COMPILER_CACHE_PROGRAM)

get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
set(in_use "")
set(candidates "")
set(line "")
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(COMPILER_CACHE_NOTE "${CMAKE_CXX_COMPILER_LAUNCHER} (given)")
  set(in_use ${CMAKE_CXX_COMPILER_LAUNCHER})
  list(FILTER in_use INCLUDE REGEX "(^|/)s?ccache$")
elseif(COMPILER_CACHE STREQUAL "none" OR NOT COMPILER_CACHE_PROGRAM)
  set(COMPILER_CACHE_NOTE "none")
  list(FILTER names EXCLUDE REGEX "^none$")
  set(candidates ${names})
else()
  set(COMPILER_CACHE_NOTE "${COMPILER_CACHE_PROGRAM}")
  set(in_use "${COMPILER_CACHE_PROGRAM}")
  set(line "${COMPILER_CACHE_PROGRAM}\n")
endif()
# The script reads the program from this file. On the command line, it would make Ninja compile everything
# again when a cache is installed or uninstalled, although the objects are the same.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/compiler_cache.txt" CONTENT "@line@" @ONLY)
foreach(language IN LISTS languages)
  set(CMAKE_${language}_COMPILER_LAUNCHER sh "${CMAKE_CURRENT_LIST_DIR}/canonical_command.sh"
    "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}" ${CMAKE_${language}_COMPILER_LAUNCHER})
endforeach()
# The front end queries this program for hits and misses. It configures again when the program is uninstalled
# or a candidate is installed.
set(COMPILER_CACHE_IN_USE "${in_use}" CACHE INTERNAL "Program of the compiler cache")
set(COMPILER_CACHE_CANDIDATES "${candidates}" CACHE INTERNAL "Names of compiler caches that were not found")
