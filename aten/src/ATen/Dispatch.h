#pragma once

#include <c10/core/ScalarType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

// Runtime dtype -> compile-time `scalar_t`:
//
//   AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "exp_cpu", [&] {
//     loop<scalar_t>(self);
//   });
//
// A dtype outside the set raises NotImplementedError naming the operator and the dtype.

namespace at::detail {

[[noreturn]] TORCH_API void dispatch_unsupported(const char* name, c10::ScalarType type);

inline c10::ScalarType dispatch_type(c10::ScalarType type) {
  return type;
}

} // namespace at::detail

#define AT_DISPATCH_CASE(enum_type, ...)                                          \
  case enum_type: {                                                               \
    using scalar_t [[maybe_unused]] = c10::impl::ScalarTypeToCPPTypeT<enum_type>; \
    return __VA_ARGS__();                                                         \
  }

#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                     \
  [&] {                                                                         \
    const c10::ScalarType at_dispatch_type = ::at::detail::dispatch_type(TYPE); \
    switch (at_dispatch_type) {                                                 \
      __VA_ARGS__                                                               \
      default:                                                                  \
        ::at::detail::dispatch_unsupported(NAME, at_dispatch_type);             \
    }                                                                           \
  }()

// -- cases for sets of dtypes ------------------------------------------------------------------

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)             \
  AT_DISPATCH_CASE(c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Float, __VA_ARGS__)

#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)       \
  AT_DISPATCH_CASE(c10::ScalarType::BFloat16, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Half, __VA_ARGS__)

#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                     \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexDouble, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::ComplexFloat, __VA_ARGS__)

#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)           \
  AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)

#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)           \
  AT_DISPATCH_CASE(c10::ScalarType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(c10::ScalarType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(c10::ScalarType::Short, __VA_ARGS__)

#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)

#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)           \
  AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)

// -- cases for extra dtypes -------------------------------------------------------------------

#define AT_DISPATCH_CASE_1(A, ...) AT_DISPATCH_CASE(A, __VA_ARGS__)
#define AT_DISPATCH_CASE_2(A, B, ...) \
  AT_DISPATCH_CASE(A, __VA_ARGS__)    \
  AT_DISPATCH_CASE(B, __VA_ARGS__)
#define AT_DISPATCH_CASE_3(A, B, C, ...) \
  AT_DISPATCH_CASE_2(A, B, __VA_ARGS__)  \
  AT_DISPATCH_CASE(C, __VA_ARGS__)
#define AT_DISPATCH_CASE_4(A, B, C, D, ...) \
  AT_DISPATCH_CASE_3(A, B, C, __VA_ARGS__)  \
  AT_DISPATCH_CASE(D, __VA_ARGS__)

// -- the public macros ------------------------------------------------------------------------

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                      \
      TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_1(A, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(A, B, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                          \
      TYPE, NAME,                                              \
      AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_2(A, B, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND(c10::ScalarType::Half, TYPE, NAME, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                   \
      TYPE, NAME,                                                       \
      AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_1(A, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(A, B, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                      \
      TYPE, NAME,                                                          \
      AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)             \
          AT_DISPATCH_CASE_2(A, B, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                      \
      TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_1(A, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                \
  [&] {                                                                         \
    const c10::ScalarType at_dispatch_type = ::at::detail::dispatch_type(TYPE); \
    switch (at_dispatch_type) {                                                 \
      case c10::ScalarType::Int: {                                              \
        using index_t [[maybe_unused]] = int32_t;                               \
        return __VA_ARGS__();                                                   \
      }                                                                         \
      case c10::ScalarType::Long: {                                             \
        using index_t [[maybe_unused]] = int64_t;                               \
        return __VA_ARGS__();                                                   \
      }                                                                         \
      default:                                                                  \
        ::at::detail::dispatch_unsupported(NAME, at_dispatch_type);             \
    }                                                                           \
  }()
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                 \
      TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_1(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(A, B, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                     \
      TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_2(A, B, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(A, B, C, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                        \
      TYPE, NAME,                                            \
      AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(A, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                             \
      TYPE, NAME,                                                 \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) AT_DISPATCH_CASE_1(A, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(A, B, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                 \
      TYPE, NAME,                                                     \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) AT_DISPATCH_CASE_2(A, B, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(A, B, C, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                    \
      TYPE, NAME,                                                        \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                \
          AT_DISPATCH_CASE_3(A, B, C, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(A, B, C, D, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(                                                       \
      TYPE, NAME,                                                           \
      AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                   \
          AT_DISPATCH_CASE_4(A, B, C, D, __VA_ARGS__))
