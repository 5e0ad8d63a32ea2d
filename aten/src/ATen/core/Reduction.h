#pragma once

// How a loss is reduced; the numbers are the operators' `reduction` argument.
namespace at::Reduction {
enum Reduction { None, Mean, Sum, END };
} // namespace at::Reduction
