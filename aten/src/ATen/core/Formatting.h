#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <ostream>

namespace at {

// Writes the elements in rows of at most `linesize` characters, then the type and the sizes.
TORCH_API std::ostream& print(std::ostream& out, const Tensor& tensor, int64_t linesize);
TORCH_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

} // namespace at
