#pragma once

#include <c10/core/DispatchKeySet.h>

#include <vector>

namespace c10 {

struct IValue;

// A type-erased kernel. Every slot of a dispatch table holds a function `Ret (*)(DispatchKeySet,
// Args...)` with the operator's dispatcher signature.
using KernelPtr = void (*)();

// Properties of an operator that are known when the library is compiled.
struct OperatorInfo {
  const char* name;          // "aten::add"
  const char* overload_name; // "Tensor"
  const char* schema;        // "add.Tensor(Tensor self, ...) -> Tensor"; parsed on first use
  // Pops the arguments off the stack, calls a kernel of this signature and pushes its results.
  void (*call_boxed)(KernelPtr, DispatchKeySet, std::vector<IValue>*);
  // Returns a kernel of this signature that boxes its arguments and runs the operator's boxed
  // kernel. It is a function because an erased pointer is not a constant expression.
  KernelPtr (*boxing_trampoline)();
};

} // namespace c10

namespace torch::jit {
using Stack = std::vector<c10::IValue>;
}
