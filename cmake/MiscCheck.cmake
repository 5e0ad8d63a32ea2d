# Check once that the compiler and its standard library have the required features.
include(CheckCXXSourceCompiles)

set(CMAKE_REQUIRED_FLAGS "-std=c++20")
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
unset(CMAKE_REQUIRED_FLAGS)
if(NOT COMPILER_IS_NEW_ENOUGH)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} lacks C++20 or vector extensions; use GCC 11, Clang 14 or newer")
endif()
