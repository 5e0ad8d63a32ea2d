#pragma once

// The errors of factorizations and solvers: `info` holds LAPACK's code for each matrix, 0 for
// success. `name` is the operator that the message begins with. A Meta tensor has no errors.

#include <ATen/core/Tensor.h>

namespace at::native {

void check_positive_definite(const Tensor& info, const char* name);
void check_invertible(const Tensor& info, const char* name);
void check_solvable(const Tensor& info, const char* name);
void check_usable_factors(const Tensor& info, const char* name); // of an LU decomposition

} // namespace at::native
