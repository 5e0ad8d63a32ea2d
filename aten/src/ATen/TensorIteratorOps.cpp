// Predefined configurations for common kinds of operators.

#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>

#include <algorithm>

namespace at {

namespace {

constexpr TensorIteratorFlags unary_flags() {
  return {}; // the output must have the input's dtype
}

constexpr TensorIteratorFlags binary_flags() {
  TensorIteratorFlags flags;
  flags.allow_cpu_scalars = true;
  flags.promote_inputs_to_common_dtype = true;
  flags.cast_common_dtype_to_outputs = true;
  flags.enforce_safe_casting_to_output = true;
  return flags;
}

constexpr TensorIteratorFlags float_flags() {
  TensorIteratorFlags flags = binary_flags();
  flags.promote_integer_inputs_to_float = true;
  return flags;
}

// Compares in the common dtype of the inputs; the result is bool whatever the output's dtype.
constexpr TensorIteratorFlags comparison_flags() {
  TensorIteratorFlags flags = binary_flags();
  flags.enforce_safe_casting_to_output = false;
  flags.static_dtype = ScalarType::Bool;
  return flags;
}

constexpr TensorIteratorFlags kUnary = unary_flags();
constexpr TensorIteratorFlags kBinaryMath = binary_flags();
constexpr TensorIteratorFlags kFloatMath = float_flags();
constexpr TensorIteratorFlags kComparison = comparison_flags();

} // namespace

#define AT_BINARY_BUILDERS(name, flags)                                                            \
  void TensorIteratorBase::name(const TensorBase& out, const TensorBase& a, const TensorBase& b) { \
    add_operand(out, true, false);                                                                 \
    add_operand(a, false, true);                                                                   \
    add_operand(b, false, true);                                                                   \
    build_with(flags, std::nullopt, std::nullopt);                                                 \
  }                                                                                                \
  void TensorIteratorBase::name(const TensorBase& out, const TensorBase& a, const Scalar& b) {     \
    add_operand(out, true, false);                                                                 \
    add_operand(a, false, true);                                                                   \
    add_number(b);                                                                                 \
    build_with(flags, std::nullopt, std::nullopt);                                                 \
  }

AT_BINARY_BUILDERS(build_borrowing_binary_op, kBinaryMath)
AT_BINARY_BUILDERS(build_borrowing_binary_float_op, kFloatMath)
AT_BINARY_BUILDERS(build_borrowing_comparison_op, kComparison)

#define AT_BUILDER_ALIAS(name, target)                                                             \
  void TensorIteratorBase::name(const TensorBase& out, const TensorBase& a, const TensorBase& b) { \
    target(out, a, b);                                                                             \
  }                                                                                                \
  void TensorIteratorBase::name(const TensorBase& out, const TensorBase& a, const Scalar& b) {     \
    target(out, a, b);                                                                             \
  }

AT_BUILDER_ALIAS(build_binary_op, build_borrowing_binary_op)
AT_BUILDER_ALIAS(build_binary_float_op, build_borrowing_binary_float_op)
AT_BUILDER_ALIAS(build_comparison_op, build_borrowing_comparison_op)

void TensorIteratorBase::build_borrowing_except_last_argument_comparison_op(
    const TensorBase& out, const TensorBase& a, const TensorBase& b) {
  add_operand(out, true, false);
  add_operand(a, false, true);
  add_operand(b, false, true);
  operands_.back().tensor = OperandTensor::owned(b);
  build_with(kComparison, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_borrowing_except_last_argument_comparison_op(
    const TensorBase& out, const TensorBase& a, const Scalar& b) {
  build_borrowing_comparison_op(out, a, b);
}

void TensorIteratorBase::build_binary_op(
    const TensorBase& out, const Scalar& a, const TensorBase& b) {
  add_operand(out, true, false);
  add_number(a);
  add_operand(b, false, true);
  build_with(kBinaryMath, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_binary_float_op(
    const TensorBase& out, const Scalar& a, const TensorBase& b) {
  add_operand(out, true, false);
  add_number(a);
  add_operand(b, false, true);
  build_with(kFloatMath, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_select(ScalarType dtype) {
  TensorIteratorFlags flags;
  flags.check_all_same_dtype = false;
  flags.allow_cpu_scalars = true;
  flags.static_dtype = dtype;
  build_with(flags, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_ternary_op(
    const TensorBase& out, const TensorBase& a, const TensorBase& b, const TensorBase& c) {
  add_operand(out, true, false);
  add_operand(a, false, true);
  add_operand(b, false, true);
  add_operand(c, false, true);
  build_with(kBinaryMath, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_borrowing_unary_op(const TensorBase& out, const TensorBase& a) {
  add_operand(out, true, false);
  add_operand(a, false, true);
  build_with(kUnary, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_unary_op(const TensorBase& out, const TensorBase& a) {
  build_borrowing_unary_op(out, a);
}

void TensorIteratorBase::build_output_borrowing_argument_owning_unary_op(
    const TensorBase& out, const TensorBase& a) {
  add_operand(out, true, false);
  add_operand(a, false, true);
  operands_.back().tensor = OperandTensor::owned(a);
  build_with(kUnary, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_borrowing_unary_float_op(
    const TensorBase& out, const TensorBase& a) {
  add_operand(out, true, false);
  add_operand(a, false, true);
  build_with(kFloatMath, std::nullopt, std::nullopt);
}

void TensorIteratorBase::build_unary_float_op(const TensorBase& out, const TensorBase& a) {
  build_borrowing_unary_float_op(out, a);
}

void TensorIteratorBase::build_unary_force_boolean_op(const TensorBase& out, const TensorBase& a) {
  add_operand(out, true, false);
  add_operand(a, false, true);
  build_with(kComparison, std::nullopt, std::nullopt);
}

// ---- named iterators -------------------------------------------------------------------------

TensorIterator TensorIterator::binary_op(
    TensorBase& out, const TensorBase& a, const TensorBase& b) {
  TensorIterator iter;
  iter.build_borrowing_binary_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::borrowing_binary_op(
    const TensorBase& out, const TensorBase& a, const TensorBase& b) {
  TensorIterator iter;
  iter.build_borrowing_binary_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::binary_float_op(
    TensorBase& out, const TensorBase& a, const TensorBase& b) {
  TensorIterator iter;
  iter.build_borrowing_binary_float_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::comparison_op(
    TensorBase& out, const TensorBase& a, const TensorBase& b) {
  TensorIterator iter;
  iter.build_borrowing_comparison_op(out, a, b);
  return iter;
}

TensorIterator TensorIterator::unary_op(TensorBase& out, const TensorBase& a) {
  TensorIterator iter;
  iter.build_borrowing_unary_op(out, a);
  return iter;
}

TensorIterator TensorIterator::unary_float_op(TensorBase& out, const TensorBase& a) {
  TensorIterator iter;
  iter.build_borrowing_unary_float_op(out, a);
  return iter;
}

TensorIterator TensorIterator::borrowing_nullary_op(const TensorBase& out) {
  return TensorIteratorConfig()
      .check_all_same_dtype(false)
      .add_borrowed_output(out)
      // A fill writes the same value to all overlapping elements.
      .set_check_mem_overlap(false)
      .resize_outputs(false)
      .build();
}

TensorIterator TensorIterator::nullary_op(TensorBase& out) {
  return borrowing_nullary_op(out);
}

TensorIterator TensorIterator::reduce_op(TensorBase& out, const TensorBase& a) {
  TORCH_INTERNAL_ASSERT(out.defined());
  return TensorIteratorConfig()
      .set_check_mem_overlap(false)
      .add_owned_output(out)
      .add_owned_const_input(a)
      .resize_outputs(false)
      .is_reduction(true)
      .promote_inputs_to_common_dtype(true)
      .build();
}

TensorIterator TensorIterator::reduce_op(TensorBase& out1, TensorBase& out2, const TensorBase& a) {
  TORCH_INTERNAL_ASSERT(out1.defined() && out2.defined());
  TORCH_CHECK(
      out1.dim() == out2.dim() && out1.sizes() == out2.sizes(),
      "reduce_op(): expected outputs of the same shape, but got ", out1.sizes(), " and ",
      out2.sizes());
  return TensorIteratorConfig()
      .set_check_mem_overlap(false)
      .add_owned_output(out1)
      .add_owned_output(out2)
      .add_owned_const_input(a)
      .resize_outputs(false)
      .is_reduction(true)
      .check_all_same_dtype(false)
      .build();
}

// ---- configuration ---------------------------------------------------------------------------

TensorIteratorConfig& TensorIteratorConfig::add(
    OperandTensor tensor, bool is_output, bool is_const) {
  TORCH_INTERNAL_ASSERT(
      !is_output || entries_.empty() || entries_.back().is_output, "add outputs before inputs");
  auto& entry = entries_.emplace_back();
  entry.tensor = std::move(tensor);
  entry.is_output = is_output;
  entry.is_const = is_const;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::add_borrowed_output(const TensorBase& output) {
  return add(OperandTensor::borrowed(output), true, false);
}

TensorIteratorConfig& TensorIteratorConfig::add_borrowed_input(const TensorBase& input) {
  return add(OperandTensor::borrowed(input), false, false);
}

TensorIteratorConfig& TensorIteratorConfig::add_borrowed_const_input(const TensorBase& input) {
  return add(OperandTensor::borrowed(input), false, true);
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_output(const TensorBase& output) {
  return add(OperandTensor::owned(output), true, false);
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_input(const TensorBase& input) {
  return add(OperandTensor::owned(input), false, false);
}

TensorIteratorConfig& TensorIteratorConfig::add_owned_const_input(const TensorBase& input) {
  return add(OperandTensor::owned(input), false, true);
}

TensorIteratorConfig& TensorIteratorConfig::add_scalar_input(const Scalar& number) {
  entries_.emplace_back().number = number;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::promote_inputs_to_common_dtype(bool value) {
  flags_.promote_inputs_to_common_dtype = value;
  if (value) {
    flags_.check_all_same_dtype = false;
  }
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::promote_integer_inputs_to_float(bool value) {
  flags_.promote_integer_inputs_to_float = value;
  TORCH_INTERNAL_ASSERT(!value || flags_.promote_inputs_to_common_dtype);
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_dtype(ScalarType dtype) {
  flags_.static_dtype = dtype;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_device(Device device) {
  static_device_ = device;
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_dtype_and_device(
    ScalarType dtype, Device device) {
  return declare_static_dtype(dtype).declare_static_device(device);
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(IntArrayRef shape) {
  // The caller guarantees the layout, so nothing may be resized to fit.
  flags_.resize_outputs = false;
  static_shape_ = DimVector(shape.begin(), shape.end());
  return *this;
}

TensorIteratorConfig& TensorIteratorConfig::declare_static_shape(
    IntArrayRef shape, IntArrayRef squash_dims) {
  declare_static_shape(shape);
  if (shape.empty()) {
    return *this;
  }
  for (const int64_t dim : squash_dims) {
    (*static_shape_)[maybe_wrap_dim(dim, static_cast<int64_t>(shape.size()))] = 1;
  }
  return *this;
}

} // namespace at
