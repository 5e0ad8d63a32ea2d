#pragma once

#include <c10/util/SmallVector.h>
#include <c10/util/string_view.h>

#include <cstdint>
#include <vector>

namespace at::native {

// The label of a dimension in an einsum: a letter by its ASCII order, or one of the dimensions that
// an ellipsis covers, numbered so that the last ones of all operands agree.
using EinsumLabel = int;
using EinsumLabels = c10::SmallVector<EinsumLabel, 8>;

struct EinsumEquation {
  std::vector<EinsumLabels> operands;
  EinsumLabels output;
};

inline constexpr EinsumLabel kEllipsisLabels = 52;

char einsum_letter(EinsumLabel label);

// Parses `equation` for operands with these numbers of dimensions. Without "->", the output has the
// ellipsis followed by the letters that occur once, in alphabetical order.
EinsumEquation parse_einsum(c10::string_view equation, const std::vector<int64_t>& ndims);

} // namespace at::native
