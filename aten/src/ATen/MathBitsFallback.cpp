// The kernel of the keys Conjugate and Negative, for operators that read or write what a storage
// holds. It gives them copies of the tensors whose elements are conjugated or negated when they are
// read, and copies what they wrote back. Views keep the keys, as their storage keeps the elements.
//
// Composite operators run as they are, since the operators that they call come here too.

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/stack.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/MathBits.h>
#include <ATen/ops/_conj_ops.h>
#include <ATen/ops/_conj_physical_ops.h>
#include <ATen/ops/_neg_view_ops.h>
#include <ATen/ops/_reshape_alias_ops.h>
#include <ATen/ops/_unsafe_view_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj_physical_ops.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/diagonal_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/expand_ops.h>
#include <ATen/ops/full_like_ops.h>
#include <ATen/ops/is_same_size_ops.h>
#include <ATen/ops/lift_fresh_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/permute_ops.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/select_ops.h>
#include <ATen/ops/set_ops.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/squeeze_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/transpose_ops.h>
#include <ATen/ops/unfold_ops.h>
#include <ATen/ops/unsqueeze_ops.h>
#include <ATen/ops/vdot_ops.h>
#include <ATen/ops/view_as_real_ops.h>
#include <ATen/ops/view_ops.h>

#include <string>
#include <utility>
#include <vector>

namespace at {

namespace {

using c10::IValue;
using c10::OperatorHandle;
using native::has_math_bits;
using torch::jit::Stack;

bool is_composite(const OperatorHandle& op) {
  return op.entry().has_kernel_for(DispatchKey::CompositeImplicitAutograd) &&
      !op.entry().has_kernel_for(DispatchKey::CPU);
}

// A tensor argument and the copy that stands for it.
struct StandIn {
  Tensor original;
  Tensor copy;
  bool written = false;
};

class ResolvedCall {
 public:
  ResolvedCall(const OperatorHandle& op, Stack& stack)
      : op_(op), schema_(op.schema()), stack_(stack) {}

  void run(DispatchKeySet keys) {
    // Functionalization calls the operator again, with tensors of which some come here.
    const bool later = keys.has(DispatchKey::Functionalize);
    if (!later && !is_composite(op_) && !is_view()) {
      resolve_arguments();
    }
    op_.redispatchBoxed(keys - native::math_bits, &stack_);
    write_back();
    restore_results();
  }

 private:
  bool is_view() const {
    bool aliases = false;
    for (const auto& argument : schema_.arguments()) {
      if (argument.alias && argument.alias->is_write) {
        return false;
      }
      aliases = aliases || argument.alias;
    }
    return aliases;
  }

  void resolve_arguments() {
    const AutoDispatchBelowADInplaceOrView values_only;
    const auto& arguments = schema_.arguments();
    const size_t first = stack_.size() - arguments.size();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool written = (arguments[i].alias && arguments[i].alias->is_write) ||
          native::is_running_statistic(arguments[i]);
      resolve(stack_[first + i], written);
    }
  }

  void resolve(IValue& value, bool written) {
    if (value.isTensor()) {
      if (has_math_bits(value.toTensor())) {
        value = IValue(stand_in(value.toTensor(), written));
      }
    } else if (value.isTensorList()) {
      std::vector<Tensor> list;
      for (const Tensor& tensor : value.toTensorList()) {
        list.push_back(has_math_bits(tensor) ? stand_in(tensor, written) : tensor);
      }
      value = IValue(std::move(list));
    } else if (value.isGenericList()) {
      std::vector<IValue> list = value.toGenericList();
      for (IValue& element : list) {
        resolve(element, written);
      }
      value = IValue(std::move(list));
    }
  }

  // An argument that is given twice has one copy, because an operator may write to one and check
  // whether another is the same.
  const Tensor& stand_in(const Tensor& tensor, bool written) {
    for (StandIn& known : stand_ins_) {
      if (known.original.is_same(tensor)) {
        known.written = known.written || written;
        return known.copy;
      }
    }
    stand_ins_.push_back({tensor, at::clone(tensor), written});
    const Tensor& copy = stand_ins_.back().copy;
    copy.unsafeGetTensorImpl()->set_wrapped_number(
        tensor.unsafeGetTensorImpl()->is_wrapped_number());
    return copy;
  }

  void write_back() const {
    const AutoDispatchBelowADInplaceOrView values_only;
    for (const StandIn& each : stand_ins_) {
      if (!each.written) {
        continue;
      }
      if (each.original.sizes() != each.copy.sizes()) { // an out= tensor
        at::methods::resize_(each.original, each.copy.sizes());
      }
      Tensor target = each.original;
      at::methods::copy_(target, each.copy);
    }
  }

  // An operator returns what it has written.
  void restore_results() {
    if (stand_ins_.empty()) {
      return;
    }
    const size_t count = schema_.returns().size();
    for (size_t i = stack_.size() - count; i < stack_.size(); ++i) {
      stack_[i] = original_of(stack_[i]);
    }
  }

  IValue original_of(const IValue& value) const {
    if (value.isTensor()) {
      for (const StandIn& each : stand_ins_) {
        if (each.written && each.copy.is_same(value.toTensor())) {
          return IValue(each.original);
        }
      }
    } else if (value.isTensorList()) {
      std::vector<Tensor> list;
      for (const Tensor& tensor : value.toTensorList()) {
        list.push_back(original_of(IValue(tensor)).toTensor());
      }
      return IValue(std::move(list));
    }
    return value;
  }

  const OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  Stack& stack_;
  std::vector<StandIn> stand_ins_;
};

void resolve_and_call(
    c10::OperatorKernel*, const OperatorHandle& op, DispatchKeySet keys, Stack* stack) {
  ResolvedCall(op, *stack).run(keys);
}

const c10::RegistrationHandleRAII conjugate = c10::Dispatcher::singleton().registerFallback(
    DispatchKey::Conjugate, c10::KernelFunction{nullptr, {{}, &resolve_and_call}, false}, __FILE__);
const c10::RegistrationHandleRAII negative = c10::Dispatcher::singleton().registerFallback(
    DispatchKey::Negative, c10::KernelFunction{nullptr, {{}, &resolve_and_call}, false}, __FILE__);

// Operators whose kernels know the keys, or do not look at elements; common views, which the
// fallback would only pass on; and changes of a tensor's shape.
#define FOR_CONJUGATE(op) {&at::_ops::op::entry, DispatchKey::Conjugate, &c10::fallthrough_kernel},
#define FOR_NEGATIVE(op) {&at::_ops::op::entry, DispatchKey::Negative, &c10::fallthrough_kernel},
#define FOR_BOTH(op) FOR_CONJUGATE(op) FOR_NEGATIVE(op)

c10::KernelRow rows[] = {
    // clang-format off
    FOR_BOTH(_conj) FOR_BOTH(_neg_view) FOR_BOTH(clone) FOR_BOTH(copy_) FOR_BOTH(_unsafe_view)
    FOR_CONJUGATE(_conj_physical) FOR_CONJUGATE(conj_physical_)
    FOR_CONJUGATE(mm) FOR_CONJUGATE(mm_out) FOR_CONJUGATE(addmm) FOR_CONJUGATE(addmm_)
    FOR_CONJUGATE(addmm_out) FOR_CONJUGATE(bmm) FOR_CONJUGATE(bmm_out) FOR_CONJUGATE(baddbmm)
    FOR_CONJUGATE(baddbmm_) FOR_CONJUGATE(baddbmm_out) FOR_CONJUGATE(dot) FOR_CONJUGATE(dot_out)
    FOR_CONJUGATE(vdot) FOR_CONJUGATE(vdot_out)
    FOR_BOTH(empty_like) FOR_BOTH(full_like) FOR_BOTH(is_same_size)
    FOR_BOTH(alias) FOR_BOTH(as_strided) FOR_BOTH(detach) FOR_BOTH(diagonal) FOR_BOTH(expand)
    FOR_BOTH(lift_fresh) FOR_BOTH(permute) FOR_BOTH(_reshape_alias) FOR_BOTH(select_int)
    FOR_BOTH(slice_Tensor) FOR_BOTH(squeeze) FOR_BOTH(squeeze_dim) FOR_BOTH(squeeze_dims)
    FOR_BOTH(t) FOR_BOTH(transpose_int) FOR_BOTH(unfold) FOR_BOTH(unsqueeze) FOR_BOTH(view)
    FOR_BOTH(view_as_real)
    FOR_BOTH(detach_) FOR_BOTH(resize_) FOR_BOTH(as_strided_) FOR_BOTH(squeeze_)
    FOR_BOTH(squeeze__dim) FOR_BOTH(squeeze__dims) FOR_BOTH(t_) FOR_BOTH(transpose_)
    FOR_BOTH(unsqueeze_) FOR_BOTH(set_) FOR_BOTH(set__source_Storage)
    FOR_BOTH(set__source_Storage_storage_offset) FOR_BOTH(set__source_Tensor)
    // clang-format on
};
#undef FOR_BOTH
#undef FOR_NEGATIVE
#undef FOR_CONJUGATE

const c10::KernelTable table(rows);

} // namespace

} // namespace at
