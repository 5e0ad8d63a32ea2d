// Determines the dtype an iterator computes in and converts the operands to it.

#include <ATen/EmptyTensor.h>
#include <ATen/ScalarValue.h>
#include <ATen/TensorIterator.h>
#include <ATen/UnroundedNumber.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Copy.h>
#include <ATen/native/TypeProperties.h>
#include <c10/core/DefaultDtype.h>

#include <cstring>

namespace at {

void TensorIteratorBase::add_number(const Scalar& number) {
  auto& op = operands_.emplace_back();
  op.is_number = true;
  op.holds_value = true;
  op.is_const = true;
  op.current_dtype = number.type();
  op.target_dtype = op.current_dtype;
  store_value(op.value, op.current_dtype, number);
}

// Converts the operand to a value of `dtype` stored inside the iterator.
void TensorIteratorBase::convert_number(OperandInfo& op, ScalarType dtype) {
  if (op.current_dtype != dtype) {
    alignas(16) char source[OperandInfo::kValueSize];
    const void* from = op.tensor.get().defined() ? op.tensor.get().const_data_ptr() : op.value;
    std::memcpy(source, from, c10::elementSize(op.current_dtype));
    convert_value(op.value, dtype, source, op.current_dtype);
    if (c10::isReducedFloatingType(dtype)) {
      convert_value(op.value + kUnroundedOffset, kFloat, source, op.current_dtype);
    }
    if (op.tensor.defined()) {
      op.original_tensor = op.tensor;
    }
  }
  op.current_dtype = dtype;
  op.target_dtype = dtype;
  op.holds_value = true;
}

ScalarType TensorIteratorBase::compute_common_dtype() {
  native::ResultTypeState state;
  for (const auto& op : operands_) {
    if (op.is_output) {
      continue;
    }
    if (op.is_number) {
      state = native::update_result_type_state(value_to_scalar(op.value, op.current_dtype), state);
    } else {
      state = native::update_result_type_state(op.tensor.get(), state);
    }
  }
  common_dtype_ = native::result_type(state);
  TORCH_INTERNAL_ASSERT(common_dtype_ != ScalarType::Undefined);
  return common_dtype_;
}

void TensorIteratorBase::compute_types(
    const TensorIteratorFlags& flags, std::optional<Device> static_device) {
  std::optional<Device> device = static_device;
  ScalarType common = ScalarType::Undefined;
  ScalarType output = ScalarType::Undefined;
  bool inputs_differ = false;
  bool outputs_differ = false;
  for (const auto& op : operands_) {
    if (op.tensor.defined() && !device &&
        !(op.device.is_cpu() && op.tensor.get().dim() == 0 && !op.is_output)) {
      device = op.device;
    }
    TORCH_CHECK(
        op.is_output || op.is_number || op.tensor.defined(),
        "Expected a Tensor for each input, but one is undefined");
    if (!op.is_type_defined() || op.is_number) {
      continue;
    }
    auto& seen = op.is_output ? output : common;
    auto& differ = op.is_output ? outputs_differ : inputs_differ;
    differ = differ || (seen != ScalarType::Undefined && seen != op.target_dtype);
    seen = seen == ScalarType::Undefined ? op.target_dtype : seen;
  }
  common_device_ = device.value_or(operands_[num_outputs_ < ntensors() ? num_outputs_ : 0].device);
  is_meta_ = common_device_.is_meta();
  common_dtype_ = inputs_differ ? ScalarType::Undefined : common;

  if (flags.promote_inputs_to_common_dtype) {
    compute_common_dtype();
    if (flags.promote_integer_inputs_to_float && c10::isIntegralType(common_dtype_, true)) {
      common_dtype_ = c10::get_default_dtype_as_scalartype();
    }
  } else if (flags.check_all_same_dtype) {
    const ScalarType expected = common != ScalarType::Undefined ? common : output;
    for (const auto& op : operands_) {
      TORCH_CHECK(
          !op.is_type_defined() || op.is_number || op.target_dtype == expected, "Found dtype ",
          op.target_dtype, " but expected ", expected);
    }
    common_dtype_ = expected;
  }
  check_devices(flags, common_device_);
  convert_operands(flags, common_device_);
}

void TensorIteratorBase::check_devices(
    const TensorIteratorFlags& flags, Device common_device) const {
  if (!flags.check_all_same_device) {
    return;
  }
  for (const auto& op : operands_) {
    if (!op.tensor.defined() || op.device == common_device) {
      continue;
    }
    if (flags.allow_cpu_scalars && op.device.is_cpu() && !op.is_output &&
        op.tensor.get().dim() == 0) {
      continue;
    }
    TORCH_CHECK(
        !common_device.is_meta() && !op.device.is_meta(), "Tensor on device ",
        common_device.is_meta() ? common_device : op.device, " is not on the expected device ",
        common_device.is_meta() ? op.device : common_device, "!");
    TORCH_CHECK(
        false, "Expected all tensors to be on the same device, but found at least two devices, ",
        common_device, " and ", op.device, "!");
  }
}

void TensorIteratorBase::convert_operands(const TensorIteratorFlags& flags, Device common_device) {
  for (auto& op : operands_) {
    if (op.is_output) {
      if (!op.tensor.defined()) {
        op.device = common_device;
        op.target_dtype =
            flags.static_dtype != ScalarType::Undefined ? flags.static_dtype : common_dtype_;
        TORCH_INTERNAL_ASSERT(
            op.target_dtype != ScalarType::Undefined,
            "cannot infer the dtype of an output that must be allocated");
        op.current_dtype = op.target_dtype;
        continue;
      }
      const ScalarType computed =
          flags.static_dtype != ScalarType::Undefined ? flags.static_dtype : common_dtype_;
      TORCH_CHECK(
          !flags.enforce_safe_casting_to_output || c10::canCast(common_dtype_, op.target_dtype),
          "result type ", common_dtype_, " can't be cast to the desired output type ",
          op.target_dtype);
      if (flags.cast_common_dtype_to_outputs && computed != op.target_dtype) {
        op.current_dtype = computed;
      }
      continue;
    }
    if (op.is_number) {
      const bool keeps_dtypes = !flags.promote_inputs_to_common_dtype;
      const ScalarType dtype = keeps_dtypes && flags.static_dtype != ScalarType::Undefined
          ? flags.static_dtype
          : common_dtype_;
      convert_number(op, dtype != ScalarType::Undefined ? dtype : op.current_dtype);
      continue;
    }
    // Kernels of other devices convert what they load.
    if (!flags.promote_inputs_to_common_dtype || op.current_dtype == common_dtype_ ||
        !common_device.is_cpu()) {
      continue;
    }
    if (op.tensor.get().dim() == 0) {
      convert_number(op, common_dtype_);
      continue;
    }
    op.original_tensor = std::move(op.tensor);
    op.tensor =
        OperandTensor::owned(native::converted_copy(op.original_tensor.get(), common_dtype_));
    op.current_dtype = common_dtype_;
    op.target_dtype = common_dtype_;
  }
}

} // namespace at
