${generated}
#pragma once

#include <ATen/core/Tensor.h>

namespace at::functionalization {

/// How an inverse returns what a view would: as a view of its arguments, or as a copy.
enum class InverseReturnMode { NeverView, ViewOrScatterInverse };

/// For each view, the function that returns the base after the view was changed.
struct FunctionalInverses {
  ${declarations}
};

}  // namespace at::functionalization
