#pragma once

// Lets interpreters look up operators, by name or by signature, and call them with a stack.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace torch::jit {

// One overload. The dispatcher chooses the kernel at each call.
class TORCH_API Operator {
 public:
  explicit Operator(c10::OperatorEntry& entry) : handle_(entry) {}

  const c10::FunctionSchema& schema() const { return handle_.schema(); }
  const c10::OperatorHandle& handle() const { return handle_; }

  // Pops all arguments of the schema off the stack, in order, and pushes the results.
  void call(Stack& stack) const { handle_.callBoxed(stack); }

 private:
  c10::OperatorHandle handle_;
};

// Registers a block of operators when its library loads. The names are hashed at the first lookup.
class TORCH_API OperatorTable {
 public:
  template <size_t N>
  explicit OperatorTable(c10::OperatorEntry* const (&entries)[N]) : OperatorTable(entries, N) {}
  OperatorTable(c10::OperatorEntry* const* entries, size_t count);
  C10_DISABLE_COPY_AND_ASSIGN(OperatorTable);

  c10::OperatorEntry* const* begin() const { return entries_; }
  c10::OperatorEntry* const* end() const { return entries_ + count_; }
  const OperatorTable* next() const { return next_; }

 private:
  c10::OperatorEntry* const* entries_;
  size_t count_;
  const OperatorTable* next_;
};

// Returns the overloads of "aten::add": first those in the operator file, in its order, then those
// defined at run time.
TORCH_API std::vector<std::shared_ptr<Operator>> getAllOperatorsFor(const std::string& name);

// Returns the operator with the signature "aten::add.Tensor(Tensor self, ...) -> Tensor"; null if
// there is none.
TORCH_API std::shared_ptr<Operator> findOperatorFor(std::string_view signature);

// Returns all operators that have a schema.
TORCH_API std::vector<std::shared_ptr<Operator>> getAllOperators();

} // namespace torch::jit
