#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>
#include <string>

namespace c10 {

enum class QScheme : uint8_t {
  PER_TENSOR_AFFINE = 0,
  PER_CHANNEL_AFFINE = 1,
  PER_TENSOR_SYMMETRIC = 2,
  PER_CHANNEL_SYMMETRIC = 3,
  PER_CHANNEL_AFFINE_FLOAT_QPARAMS = 4,
  COMPILE_TIME_NUM_QSCHEMES = 5,
};
constexpr int COMPILE_TIME_NUM_QSCHEMES = static_cast<int>(QScheme::COMPILE_TIME_NUM_QSCHEMES);

C10_API std::string toString(QScheme scheme);

} // namespace c10

namespace at {
using c10::QScheme;
using c10::toString;
} // namespace at
