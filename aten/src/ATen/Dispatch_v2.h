#pragma once

#include <ATen/Dispatch.h>

// Dispatch over any list of dtypes and named sets:
//
//   AT_DISPATCH_V2(self.scalar_type(), "index_cpu", AT_WRAP([&] { ... scalar_t ... }),
//                  kBool, kHalf, AT_EXPAND(AT_ALL_TYPES), AT_EXPAND(AT_COMPLEX_TYPES));

#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(...) __VA_ARGS__

#define AT_FLOATING_TYPES c10::ScalarType::Double, c10::ScalarType::Float
#define AT_FLOAT8_TYPES                                                                           \
  c10::ScalarType::Float8_e5m2, c10::ScalarType::Float8_e4m3fn, c10::ScalarType::Float8_e5m2fnuz, \
      c10::ScalarType::Float8_e4m3fnuz, c10::ScalarType::Float8_e8m0fnu
#define AT_REDUCED_FLOATING_TYPES c10::ScalarType::Half, c10::ScalarType::BFloat16
#define AT_INTEGRAL_TYPES                                                                     \
  c10::ScalarType::Byte, c10::ScalarType::Char, c10::ScalarType::Short, c10::ScalarType::Int, \
      c10::ScalarType::Long
#define AT_BAREBONES_UNSIGNED_TYPES \
  c10::ScalarType::UInt16, c10::ScalarType::UInt32, c10::ScalarType::UInt64
#define AT_INTEGRAL_TYPES_V2 AT_EXPAND(AT_INTEGRAL_TYPES), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES)
#define AT_COMPLEX_TYPES c10::ScalarType::ComplexDouble, c10::ScalarType::ComplexFloat
#define AT_ALL_TYPES AT_EXPAND(AT_INTEGRAL_TYPES), AT_EXPAND(AT_FLOATING_TYPES)
#define AT_ALL_TYPES_AND_COMPLEX AT_EXPAND(AT_ALL_TYPES), AT_EXPAND(AT_COMPLEX_TYPES)

// Applies a macro to each of __VA_ARGS__ by rescanning: 4^3 rounds are more than the number of
// dtypes.
#define AT_SCAN_(...) AT_SCAN_2(AT_SCAN_2(AT_SCAN_2(AT_SCAN_2(__VA_ARGS__))))
#define AT_SCAN_2(...) AT_SCAN_1(AT_SCAN_1(AT_SCAN_1(AT_SCAN_1(__VA_ARGS__))))
#define AT_SCAN_1(...) AT_SCAN_0(AT_SCAN_0(AT_SCAN_0(AT_SCAN_0(__VA_ARGS__))))
#define AT_SCAN_0(...) __VA_ARGS__
#define AT_PARENS_ ()
#define AT_CASES_(BODY, ...) __VA_OPT__(AT_SCAN_(AT_CASES_STEP_(BODY, __VA_ARGS__)))
#define AT_CASES_STEP_(BODY, FIRST, ...) \
  AT_DISPATCH_CASE(FIRST, AT_WRAP BODY)  \
  __VA_OPT__(AT_CASES_AGAIN_ AT_PARENS_(BODY, __VA_ARGS__))
#define AT_CASES_AGAIN_() AT_CASES_STEP_

#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_CASES_((BODY), __VA_ARGS__))
