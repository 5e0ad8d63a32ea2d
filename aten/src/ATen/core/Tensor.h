#pragma once

#include <ATen/core/TensorBody.h>

namespace at {
using TensorList = ArrayRef<Tensor>;
using ITensorListRef = TensorList;
} // namespace at
