#pragma once
// The floating-point operations of calls, for profiles.
#include <ATen/core/stack.h>

#include <cstdint>
#include <string>

namespace torch::autograd {

// Returns how many operations a call takes, whose arguments are the last ones of the stack; a
// multiplication and an addition count as two. Returns 0 for operators that are not counted.
int64_t operator_flops(const std::string& name, const jit::Stack& stack, size_t arguments);

} // namespace torch::autograd
