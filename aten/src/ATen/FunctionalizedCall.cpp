#include <ATen/FunctionalizedCall.h>

#include <ATen/MemoryOverlap.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/lift_fresh_ops.h>
#include <ATen/ops/resize_ops.h>
#include <ATen/ops/set_ops.h>
#include <ATen/ops/to.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace at::functionalization {

namespace {

// ---- tensors among arguments and results

template <typename Function>
void for_each_tensor(const IValue& value, const Function& function) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) {
      function(value.toTensor());
    }
  } else if (value.isTensorList()) {
    for (const Tensor& tensor : value.toTensorList()) {
      for_each_tensor(IValue(tensor), function);
    }
  } else if (value.isGenericList()) {
    for (const IValue& element : value.toGenericList()) {
      for_each_tensor(element, function);
    }
  }
}

template <typename Function>
IValue with_tensors(const IValue& value, const Function& function) {
  if (value.isTensor()) {
    return value.toTensor().defined() ? IValue(function(value.toTensor())) : value;
  }
  if (value.isTensorList()) {
    std::vector<Tensor> tensors;
    for (const Tensor& tensor : value.toTensorList()) {
      tensors.push_back(tensor.defined() ? function(tensor) : tensor);
    }
    return tensors;
  }
  if (value.isGenericList()) {
    std::vector<IValue> elements;
    for (const IValue& element : value.toGenericList()) {
      elements.push_back(with_tensors(element, function));
    }
    return elements;
  }
  return value;
}

std::vector<Tensor> tensors_of(const IValue& value) {
  std::vector<Tensor> tensors;
  for_each_tensor(value, [&](const Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}

bool is_write(const Argument& argument) {
  return argument.alias && argument.alias->is_write;
}

} // namespace

FunctionalizedCall::FunctionalizedCall(const OperatorHandle& op, Stack& stack)
    : op_(op), schema_(op.schema()), stack_(stack), arguments_(take_arguments()) {
  for (const IValue& value : arguments_) {
    for_each_tensor(value, [&](const Tensor& tensor) { look_at(tensor); });
  }
}

void FunctionalizedCall::run(DispatchKeySet keys) {
  if (level_ == 0) {
    run_without_functional_tensors(keys);
  } else if (is(at::_ops::resize_::entry)) {
    resize();
  } else if (is(at::_ops::set__source_Tensor::entry)) {
    set();
  } else if (const ViewOperators* view = find_view(op_.entry())) {
    make_view(*view);
  } else if (schema_.is_mutable()) {
    mutate();
  } else {
    compute();
  }
}

bool FunctionalizedCall::is(const c10::OperatorEntry& entry) const {
  return &op_.entry() == &entry;
}

Stack FunctionalizedCall::take_arguments() {
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(schema_.arguments().size());
  Stack taken(std::make_move_iterator(first), std::make_move_iterator(stack_.end()));
  stack_.erase(first, stack_.end());
  return taken;
}

void FunctionalizedCall::look_at(const Tensor& tensor) {
  any_tensor_ = true;
  any_python_ = any_python_ || tensor.key_set().has(DispatchKey::Python);
  if (const auto* wrapper = impl::wrapper_of(tensor)) {
    level_ = std::max(level_, wrapper->level());
  }
}

// The functional tensor of the level that handles the call, or nullptr.
FunctionalTensorWrapper* FunctionalizedCall::own(const Tensor& tensor) const {
  FunctionalTensorWrapper* const wrapper = impl::wrapper_of(tensor);
  return wrapper && wrapper->level() == level_ ? wrapper : nullptr;
}

Tensor FunctionalizedCall::value_of(const Tensor& tensor) const {
  FunctionalTensorWrapper* const wrapper = own(tensor);
  if (!wrapper) {
    return tensor;
  }
  wrapper->sync_();
  return wrapper->value();
}

IValue FunctionalizedCall::value_of(const IValue& value) const {
  return with_tensors(value, [this](const Tensor& tensor) { return value_of(tensor); });
}

IValue FunctionalizedCall::wrapped(const IValue& value, int64_t level) const {
  return with_tensors(
      value, [level](const Tensor& tensor) { return impl::to_functional_tensor(tensor, level); });
}

// New tensors belong to the innermost level; others do not belong to any.
void FunctionalizedCall::run_without_functional_tensors(DispatchKeySet keys) {
  const int64_t level = impl::current_level();
  if (level > 0 && is(at::_ops::lift_fresh::entry)) {
    stack_.push_back(wrapped(arguments_[0], level));
    return;
  }
  Stack results = std::move(arguments_);
  if (any_python_) {
    // Handlers in Python call operators that may create tensors for this level.
    op_.redispatchBoxed(
        keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, DispatchKey::Functionalize), &results);
  } else {
    const impl::BelowLevel guard(any_tensor_ ? 1 : std::max<int64_t>(level, 1));
    op_.callBoxed(results);
  }
  for (IValue& result : results) {
    stack_.push_back(!any_tensor_ && level > 0 ? wrapped(result, level) : std::move(result));
  }
}

void FunctionalizedCall::compute() {
  Stack values = values_of_arguments();
  const std::vector<size_t> statistics = copy_statistics(values);
  const Stack copies = values;
  {
    const impl::BelowLevel guard(level_);
    op_.callBoxed(values);
  }
  for (const size_t i : statistics) {
    update(arguments_[i].toTensor(), copies[i].toTensor());
  }
  for (const IValue& result : values) {
    stack_.push_back(wrapped(result, level_));
  }
}

Stack FunctionalizedCall::values_of_arguments() const {
  Stack values;
  for (const IValue& argument : arguments_) {
    values.push_back(value_of(argument));
  }
  return values;
}

// Replaces running statistics that the call may write by copies; returns their places.
std::vector<size_t> FunctionalizedCall::copy_statistics(Stack& values) const {
  std::vector<size_t> places;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool written = native::is_running_statistic(schema_.arguments()[i]) && trains() &&
        arguments_[i].isTensor() && arguments_[i].toTensor().defined() &&
        own(arguments_[i].toTensor());
    if (written) {
      const impl::BelowLevel guard(level_);
      values[i] = at::clone(values[i].toTensor());
      places.push_back(i);
    }
  }
  return places;
}

bool FunctionalizedCall::trains() const {
  for (const char* name : {"training", "train", "use_input_stats"}) {
    if (const auto place = schema_.argumentIndexWithName(name)) {
      return arguments_[*place].toBool();
    }
  }
  return false;
}

void FunctionalizedCall::mutate() {
  const std::optional<OperatorHandle> functional = find_functional(op_.entry());
  const ViewOperators* const view = functional ? find_view(functional->entry()) : nullptr;
  if (view) {
    become_view(*view);
    return;
  }
  const std::vector<size_t> written = written_arguments();
  check_written(written);
  Stack results = functional ? call_functional(*functional) : call_on_copies(written);
  const size_t own_results = results.size() - written.size();
  for (size_t i = 0; i < written.size(); ++i) {
    assign(written[i], results[own_results + i]);
  }
  for (const Argument& result : schema_.returns()) {
    const auto i = static_cast<size_t>(&result - schema_.returns().data());
    stack_.push_back(
        result.alias && result.alias->is_write ? argument_with(result.alias->before)
                                               : wrapped(results[i], level_));
  }
}

// In the order in which functional variants return them: out arguments come first.
std::vector<size_t> FunctionalizedCall::written_arguments() const {
  const auto& all = schema_.arguments();
  std::vector<size_t> places;
  for (const bool out : {true, false}) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_write(all[i]) && all[i].kwarg_only == out) {
        places.push_back(i);
      }
    }
  }
  return places;
}

void FunctionalizedCall::check_written(const std::vector<size_t>& written) const {
  for (const size_t i : written) {
    for_each_tensor(arguments_[i], [&](const Tensor& tensor) {
      TORCH_CHECK(
          own(tensor), schema_.name(),
          ": mutating a non-functional tensor with a functional tensor is not allowed. Please "
          "ensure that all of your inputs are wrapped inside of a functionalize() call.");
      at::assert_no_internal_overlap(tensor);
    });
  }
}

Stack FunctionalizedCall::call_functional(const OperatorHandle& functional) const {
  Stack values;
  for (const Argument& argument : functional.schema().arguments()) {
    const auto place = schema_.argumentIndexWithName(argument.name);
    values.push_back(place ? value_of(arguments_[*place]) : option(argument));
  }
  const impl::BelowLevel guard(level_);
  functional.callBoxed(values);
  return values;
}

// Factories take the options that the out argument has.
IValue FunctionalizedCall::option(const Argument& argument) const {
  const std::string_view name = argument.name;
  const Tensor out = tensors_of(arguments_.back()).at(0);
  if (name == "dtype") {
    return static_cast<int64_t>(out.scalar_type());
  }
  if (name == "layout") {
    return static_cast<int64_t>(out.layout());
  }
  if (name == "device") {
    return out.device();
  }
  return argument.default_value.value_or(IValue());
}

// For an operator without a functional variant.
Stack FunctionalizedCall::call_on_copies(const std::vector<size_t>& written) const {
  Stack values = values_of_arguments();
  const impl::BelowLevel guard(level_);
  for (const size_t i : written) {
    values[i] = with_tensors(values[i], [](const Tensor& tensor) { return at::clone(tensor); });
  }
  const Stack copies = values;
  op_.callBoxed(values);
  Stack results;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& alias = schema_.returns()[i].alias;
    if (!alias || !alias->is_write) {
      results.push_back(values[i]);
    }
  }
  for (const size_t i : written) {
    results.push_back(copies[i]);
  }
  return results;
}

void FunctionalizedCall::assign(size_t place, const IValue& result) const {
  const std::vector<Tensor> targets = tensors_of(arguments_[place]);
  const std::vector<Tensor> values = tensors_of(result);
  const bool out = schema_.arguments()[place].kwarg_only;
  for (size_t i = 0; i < targets.size() && i < values.size(); ++i) {
    if (!out) {
      TORCH_CHECK(
          targets[i].sizes() == values[i].sizes(), "output with shape ", targets[i].sizes(),
          " doesn't match the broadcast shape ", values[i].sizes());
    }
    update(targets[i], values[i]);
  }
}

void FunctionalizedCall::update(const Tensor& target, const Tensor& value) const {
  TORCH_CHECK(
      canCast(value.scalar_type(), target.scalar_type()), "result type ", value.scalar_type(),
      " can't be cast to the desired output type ", target.scalar_type());
  FunctionalTensorWrapper* const wrapper = own(target);
  const impl::BelowLevel guard(level_);
  wrapper->replace_(
      value.scalar_type() == target.scalar_type() ? value
                                                  : at::methods::to(value, target.scalar_type()));
  wrapper->commit_update();
}

IValue FunctionalizedCall::argument_with(const std::string& alias_set) const {
  const auto& all = schema_.arguments();
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_write(all[i]) && all[i].alias->before == alias_set) {
      return arguments_[i];
    }
  }
  TORCH_INTERNAL_ASSERT(false, schema_.name(), ": a result without its argument");
}

} // namespace at::functionalization
