${generated}
#pragma once

/// Includes for the autograd kernels in VariableType_*.cpp, besides their Nodes and operators.

#include <ATen/TensorGeometry.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/FunctionsManual.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/functions/basic_ops.h>
#include <torch/csrc/autograd/saved_values.h>

#include <string>
#include <tuple>
#include <vector>
