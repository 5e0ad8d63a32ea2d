#pragma once

#include <ATen/core/TensorBase.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>

namespace at::native {

// Type promotion has three classes of operands, highest first: tensors with dimensions, 0-dim
// tensors, Python numbers. A lower class counts only if its category (bool < integral < floating <
// complex) is higher. The state holds the promoted type of each class so far.
struct ResultTypeState {
  ScalarType dimResult = ScalarType::Undefined;
  ScalarType wrappedResult = ScalarType::Undefined;
  ScalarType zeroResult = ScalarType::Undefined;
};

TORCH_API ResultTypeState
update_result_type_state(const TensorBase& tensor, const ResultTypeState& state);
TORCH_API ResultTypeState
update_result_type_state(const Scalar& scalar, const ResultTypeState& state);
TORCH_API ScalarType result_type(const ResultTypeState& state);

} // namespace at::native
