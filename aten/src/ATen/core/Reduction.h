#pragma once

// How a loss is reduced; the values are those of the operators' `reduction` argument.
namespace at::Reduction {
enum Reduction { None, Mean, Sum, END };
} // namespace at::Reduction
