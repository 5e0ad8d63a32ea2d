#pragma once

#include <ATen/FunctionalTable.h>
#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace at::functionalization {

using c10::Argument;
using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

// A call that reached the key Functionalize: takes the arguments from the stack, and puts the
// results there.
class FunctionalizedCall {
 public:
  FunctionalizedCall(const OperatorHandle& op, Stack& stack);
  void run(DispatchKeySet keys);

 private:
  bool is(const c10::OperatorEntry& entry) const;
  Stack take_arguments();
  void look_at(const Tensor& tensor);
  FunctionalTensorWrapper* own(const Tensor& tensor) const;
  Tensor value_of(const Tensor& tensor) const;
  IValue value_of(const IValue& value) const;
  IValue wrapped(const IValue& value, int64_t level) const;
  void run_without_functional_tensors(DispatchKeySet keys);

  // ---- operators that compute and write: FunctionalizedCall.cpp
  void compute();
  Stack values_of_arguments() const;
  std::vector<size_t> copy_statistics(Stack& values) const;
  bool trains() const;
  void mutate();
  std::vector<size_t> written_arguments() const;
  void check_written(const std::vector<size_t>& written) const;
  Stack call_functional(const OperatorHandle& functional) const;
  IValue option(const Argument& argument) const;
  Stack call_on_copies(const std::vector<size_t>& written) const;
  void assign(size_t place, const IValue& result) const;
  void update(const Tensor& target, const Tensor& value) const;
  IValue argument_with(const std::string& alias_set) const;

  // ---- views, and operators on memory: FunctionalizedViews.cpp
  void make_view(const ViewOperators& operators);
  std::shared_ptr<const ViewMeta> step_from(
      const FunctionalTensorWrapper& wrapper, const ViewOperators& operators) const;
  IValue forward(const ViewMeta& step, const FunctionalTensorWrapper& wrapper) const;
  static Tensor view_of(
      const FunctionalTensorWrapper& base, ViewSteps views,
      const std::shared_ptr<const ViewMeta>& step, const Tensor& value, const Tensor& geometry);
  IValue geometries_of(const OperatorHandle& view, const FunctionalTensorWrapper& wrapper) const;
  void become_view(const ViewOperators& operators);
  void resize();
  void view_memory(FunctionalTensorWrapper& wrapper, const std::vector<int64_t>& size);
  void grow(FunctionalTensorWrapper& wrapper, IntArrayRef size, int64_t count) const;
  void set();

  const OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  Stack& stack_;
  Stack arguments_;
  int64_t level_ = 0;
  bool any_tensor_ = false;
  bool any_python_ = false;
};

} // namespace at::functionalization
