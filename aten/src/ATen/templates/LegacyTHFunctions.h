${generated}
#pragma once

/// The functions of TH and THNN on tensors of ATen. They record no gradients.
#include <ATen/LegacyTHDispatcher.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/empty.h>

namespace at::legacy::th {

${functions}
} // namespace at::legacy::th
//@section function
inline ${out_return} ${out_name}(${out_arguments}) {
  return legacyTHDispatcher(${dispatched}).${out_name}(${names});
}
inline ${value_return} ${name}(${arguments}) {
  ${results}
  ${out_name}(${names});
  return ${value};
}
