# What the compiler must be able to do, found out once.
include(CheckCXXSourceCompiles)

set(CMAKE_REQUIRED_FLAGS "-std=c++20")
check_cxx_source_compiles("
  #include <concepts>
  #include <span>
  #include <bit>
  typedef float four __attribute__((vector_size(16)));
  template <std::integral T> constexpr T twice(T x) { return x + x; }
  int main() { four v{}; constinit static int x = twice(1); return x - 2 + int(v[0]) + int(std::bit_width(0u)); }"
  COMPILER_IS_NEW_ENOUGH)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT COMPILER_IS_NEW_ENOUGH)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} lacks C++20 or vector extensions; GCC 11 or Clang 14 is needed")
endif()
