#pragma once

// Operators as interpreters look them up, by name or by signature, and call them: with a stack.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace torch::jit {

// One overload. The kernel is the dispatcher's choice at each call.
class TORCH_API Operator {
 public:
  explicit Operator(c10::OperatorEntry& entry) : handle_(entry) {}

  const c10::FunctionSchema& schema() const { return handle_.schema(); }
  const c10::OperatorHandle& handle() const { return handle_; }

  // Takes the arguments off the stack, all of the schema's in order, and pushes the results.
  void call(Stack& stack) const { handle_.callBoxed(stack); }

 private:
  c10::OperatorHandle handle_;
};

// A line of the generated table: "aten::add", "add.Tensor(Tensor self, ...) -> Tensor".
struct OperatorRow {
  const char* name;
  const char* schema;
  c10::OperatorEntry* entry;
};

// Makes a block of operators findable when its library loads. They are hashed at the first look-up.
class TORCH_API OperatorTable {
 public:
  template <size_t N>
  explicit OperatorTable(const OperatorRow (&rows)[N]) : OperatorTable(rows, N) {}
  OperatorTable(const OperatorRow* rows, size_t count);
  C10_DISABLE_COPY_AND_ASSIGN(OperatorTable);

  const OperatorRow* begin() const { return rows_; }
  const OperatorRow* end() const { return rows_ + count_; }
  const OperatorTable* next() const { return next_; }

 private:
  const OperatorRow* rows_;
  size_t count_;
  const OperatorTable* next_;
};

// The overloads of "aten::add", in the order of the operator file, then those defined at run time.
TORCH_API std::vector<std::shared_ptr<Operator>> getAllOperatorsFor(const std::string& name);

// The operator that "aten::add.Tensor(Tensor self, ...) -> Tensor" writes; null when there is none.
TORCH_API std::shared_ptr<Operator> findOperatorFor(std::string_view signature);

// Every operator that has a schema.
TORCH_API std::vector<std::shared_ptr<Operator>> getAllOperators();

} // namespace torch::jit
