${generated}
#pragma once

#include <ATen/core/stack.h>
#include <c10/macros/Export.h>

// A function for each operator that takes its arguments off the stack and pushes its results. It is
// an alternative to boxed calls of the dispatcher's entries, which look the kernel up by name.
namespace at::unboxing {

using Stack = torch::jit::Stack;

${declarations}

}  // namespace at::unboxing
