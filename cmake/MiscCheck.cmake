# Check once that the compilers are new enough, and that the C++ standard library has the required features.
foreach(language IN LISTS TABLED_LANGUAGES)
  set(least "${LANGUAGE_${language}_MINIMUM_${CMAKE_${language}_COMPILER_ID}}")
  if(least AND CMAKE_${language}_COMPILER_VERSION VERSION_LESS least)
    message(FATAL_ERROR "${CMAKE_${language}_COMPILER} is ${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION}; use ${LANGUAGE_${language}_SUPPORTED}")
  endif()
endforeach()

include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #include <version>
  #if __cpp_lib_concepts < 202002L || __cpp_lib_span < 202002L || __cpp_lib_int_pow2 < 202002L
  #error the standard library is not that of C++20
  #endif
  template <typename T> concept Number = requires(T x) { x + x; };
  template <Number T> constexpr T twice(T x) { return x + x; }
  typedef float four __attribute__((vector_size(16)));
  int main() { four v{}; constinit static int x = twice(1); return x - 2 + int(v[0]); }"
  COMPILER_IS_NEW_ENOUGH)
if(NOT COMPILER_IS_NEW_ENOUGH)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} lacks C++20 or vector extensions; use ${LANGUAGE_CXX_SUPPORTED}")
endif()
