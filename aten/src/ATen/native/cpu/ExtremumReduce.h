#pragma once

// The flat kernels of amax and amin by dtype; each operator has its own file.

#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/ExtremumOp.h>
#include <ATen/native/cpu/LaneReduce.h>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <bool is_max>
const ReduceKernel* extremum_kernels(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &LaneReduce<ExtremumOp<uint8_t, is_max>>::kernel;
    case c10::ScalarType::Char:
      return &LaneReduce<ExtremumOp<int8_t, is_max>>::kernel;
    case c10::ScalarType::Short:
      return &LaneReduce<ExtremumOp<int16_t, is_max>>::kernel;
    case c10::ScalarType::Int:
      return &LaneReduce<ExtremumOp<int32_t, is_max>>::kernel;
    case c10::ScalarType::Long:
      return &LaneReduce<ExtremumOp<int64_t, is_max>>::kernel;
    case c10::ScalarType::Half:
      return &LaneReduce<ExtremumOp<c10::Half, is_max>>::kernel;
    case c10::ScalarType::BFloat16:
      return &LaneReduce<ExtremumOp<c10::BFloat16, is_max>>::kernel;
    case c10::ScalarType::Float:
      return &LaneReduce<ExtremumOp<float, is_max>>::kernel;
    case c10::ScalarType::Double:
      return &LaneReduce<ExtremumOp<double, is_max>>::kernel;
    default:
      return nullptr;
  }
}

} // namespace CPU_CAPABILITY

} // namespace at::native
