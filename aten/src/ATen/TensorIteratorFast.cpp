// Fast setup for the common case: all tensors are contiguous with one shape and dtype, and any
// other operand is a number or a zero-dimensional CPU tensor that cannot change the result's dtype.

#include <ATen/TensorIterator.h>

namespace at {

namespace {

int64_t size_of(ScalarType dtype) {
  return static_cast<int64_t>(c10::elementSize(dtype));
}

int category(ScalarType dtype) {
  if (c10::isComplexType(dtype)) {
    return 3;
  }
  if (c10::isFloatingType(dtype)) {
    return 2;
  }
  return dtype == ScalarType::Bool ? 0 : 1;
}

using Operands = c10::SmallVectorImpl<OperandInfo>;

struct FastPlan {
  const OperandInfo* leader = nullptr; // determines shape, dtype and device
  bool leader_has_dims = false;
  bool promotes = false;
  bool mixed = false; // no promotion and no dtype check; numbers take the output's dtype
  ScalarType dtype = ScalarType::Undefined;
  ScalarType computed = ScalarType::Undefined; // dtype of the outputs
  int rank = 0;
};

bool is_weak(const OperandInfo& op) {
  return op.is_number || op.tensor.get().unsafeGetTensorImpl()->is_wrapped_number();
}

bool find_leader(
    FastPlan& plan, const Operands& operands, int num_outputs, const TensorIteratorFlags& flags) {
  for (size_t i = num_outputs; i < operands.size(); ++i) {
    const auto& op = operands[i];
    if (!op.is_number && !op.tensor.defined()) {
      return false; // an error elsewhere
    }
    if (is_weak(op)) {
      continue;
    }
    const bool has_dims = op.tensor.get().dim() > 0;
    if (plan.leader == nullptr || (has_dims && !plan.leader_has_dims)) {
      plan.leader = &op;
      plan.leader_has_dims = has_dims;
    }
  }
  if (plan.leader == nullptr) {
    return false;
  }
  plan.promotes = flags.promote_inputs_to_common_dtype;
  plan.mixed = !plan.promotes && !flags.check_all_same_dtype;
  plan.dtype = plan.leader->current_dtype;
  plan.computed = flags.static_dtype != ScalarType::Undefined ? flags.static_dtype : plan.dtype;
  plan.rank = category(plan.dtype);
  return !(flags.promote_integer_inputs_to_float && plan.rank < 2) &&
      !(plan.mixed && flags.static_dtype == ScalarType::Undefined);
}

bool input_fits(const FastPlan& plan, const OperandInfo& op) {
  if (op.is_number) {
    return plan.mixed || (plan.promotes && category(op.current_dtype) <= plan.rank);
  }
  const TensorBase& tensor = op.tensor.get();
  const OperandInfo& leader = *plan.leader;
  if (tensor.dim() == 0 && &op != &leader) {
    if (!op.device.is_cpu() || !leader.device.is_cpu()) {
      return false;
    }
    return op.current_dtype == plan.dtype || plan.mixed ||
        (plan.promotes && (plan.leader_has_dims || is_weak(op)) &&
         category(op.current_dtype) <= plan.rank);
  }
  return (op.current_dtype == plan.dtype || plan.mixed) && op.device == leader.device &&
      tensor.is_contiguous() && (&op == &leader || tensor.sizes() == leader.tensor.get().sizes());
}

// Whether a given output has the right properties and shares its storage with no input but itself.
// Inputs with equal extents would also be fine, but the full check tells them from partial
// overlaps.
bool output_fits(
    const FastPlan& plan, const OperandInfo& op, const Operands& operands, int num_outputs,
    bool check_mem_overlap) {
  const TensorBase& tensor = op.tensor.get();
  const OperandInfo& leader = *plan.leader;
  if (op.current_dtype != plan.computed || op.device != leader.device || !tensor.is_contiguous() ||
      tensor.sizes() != leader.tensor.get().sizes()) {
    return false;
  }
  const auto* impl = tensor.unsafeGetTensorImpl();
  const auto* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  for (size_t i = num_outputs; check_mem_overlap && i < operands.size(); ++i) {
    if (operands[i].is_number) {
      continue;
    }
    const auto* input = operands[i].tensor.get().unsafeGetTensorImpl();
    if (input != impl && input->unsafe_storage().unsafeGetStorageImpl() == storage) {
      return false;
    }
  }
  return true;
}

} // namespace

// Returns false, without lasting changes, when the general path has to run.
bool TensorIteratorBase::build_fast(const TensorIteratorFlags& flags) {
  FastPlan plan;
  if (flags.is_reduction || flags.enforce_linear_iteration ||
      !find_leader(plan, operands_, num_outputs_, flags)) {
    return false;
  }
  for (int i = num_outputs_; i < ntensors(); ++i) {
    if (!input_fits(plan, operands_[i])) {
      return false;
    }
  }
  for (int i = 0; i < num_outputs_; ++i) {
    const auto& op = operands_[i];
    if (op.tensor.defined() &&
        !output_fits(plan, op, operands_, num_outputs_, flags.check_mem_overlap)) {
      return false;
    }
  }

  common_dtype_ = plan.dtype;
  common_device_ = plan.leader->device;
  is_meta_ = common_device_.is_meta();
  all_ops_same_shape_ = true;
  has_coalesced_dimensions_ = true;
  const IntArrayRef sizes = plan.leader->tensor.get().sizes();
  const bool has_dims = plan.leader_has_dims;
  if (has_dims) {
    shape_.push_back(plan.leader->tensor.get().numel());
    view_offsets_.push_back(0);
  }
  for (int i = 0; i < num_outputs_; ++i) {
    auto& op = operands_[i];
    if (!op.tensor.defined()) {
      op.device = common_device_;
      op.target_dtype = plan.computed;
      op.current_dtype = plan.computed;
    }
    set_output_raw_strided(
        i, sizes, {}, TensorOptions().dtype(plan.computed).device(common_device_));
    if (has_dims) {
      op.stride_bytes.push_back(size_of(plan.computed));
    }
  }
  for (int i = num_outputs_; i < ntensors(); ++i) {
    auto& op = operands_[i];
    const bool broadcast = op.is_number || (has_dims && op.tensor.get().dim() == 0);
    if (op.is_number || (!plan.mixed && op.current_dtype != plan.dtype)) {
      convert_number(op, plan.mixed ? flags.static_dtype : plan.dtype);
    }
    if (has_dims) {
      op.stride_bytes.push_back(broadcast ? 0 : size_of(op.current_dtype));
    }
  }
  fetch_data_pointers();
  return true;
}

} // namespace at
