# ccache or sccache in front of the compilers, so that another checkout hits too.
find_program(COMPILER_CACHE_PROGRAM NAMES ccache sccache)
set(COMPILER_CACHE "none")
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(COMPILER_CACHE "${CMAKE_CXX_COMPILER_LAUNCHER} (given)")
elseif(COMPILER_CACHE_PROGRAM)
  set(COMPILER_CACHE "${COMPILER_CACHE_PROGRAM}")
  set(launcher "${COMPILER_CACHE_PROGRAM}")
  if(COMPILER_CACHE_PROGRAM MATCHES "/ccache$")
    # The checkout's path must count neither in arguments nor as the working directory.
    set(launcher env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros "${COMPILER_CACHE_PROGRAM}")
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
