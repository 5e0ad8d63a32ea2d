#include <ATen/native/CPUFallback.h>

#include <ATen/core/Tensor.h>
#include <ATen/native/Copy.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/to.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <optional>
#include <utility>
#include <vector>

namespace at::native {

namespace {

using c10::IValue;

// A tensor argument and its stand-in on the CPU.
struct Pair {
  Tensor original;
  Tensor on_cpu;
  bool written = false;
};

// The device for results: that of the first tensor that is not on the CPU, or the one named by a
// device argument.
class Fallback {
 public:
  Fallback(const c10::OperatorHandle& op, torch::jit::Stack& stack)
      : schema_(op.schema()), stack_(stack), first_(stack.size() - schema_.arguments().size()) {}

  void move_arguments() {
    const auto& arguments = schema_.arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool written = (arguments[i].alias && arguments[i].alias->is_write) ||
          is_running_statistic(arguments[i]);
      move(stack_[first_ + i], written);
    }
  }

  void write_back() {
    for (const Pair& pair : pairs_) {
      if (pair.written) {
        resize_and_copy(pair.original, pair.on_cpu);
      }
    }
  }

  void move_results(bool error_on_views) {
    const auto& returns = schema_.returns();
    const size_t first = stack_.size() - returns.size();
    for (size_t i = 0; i < returns.size(); ++i) {
      IValue& value = stack_[first + i];
      const auto& alias = returns[i].alias;
      if (alias && alias->is_write) {
        value = original_of(value);
        continue;
      }
      if (alias) {
        report_view(error_on_views);
      }
      value = to_device(value);
    }
  }

 private:
  void move(IValue& value, bool written) {
    if (value.isTensor()) {
      value = IValue(stand_in(value.toTensor(), written));
    } else if (value.isTensorList()) {
      std::vector<Tensor> list;
      for (const Tensor& tensor : value.toTensorList()) {
        list.push_back(stand_in(tensor, written));
      }
      value = IValue(std::move(list));
    } else if (value.isGenericList()) {
      std::vector<IValue> list = value.toGenericList();
      for (IValue& element : list) {
        move(element, written);
      }
      value = IValue(std::move(list));
    } else if (value.isDevice()) {
      device_ = value.toDevice();
      value = IValue(Device(kCPU));
    }
  }

  // Arguments that are the same tensor share a stand-in, because an operator may write to one and
  // check whether another is the same.
  Tensor stand_in(const Tensor& tensor, bool written) {
    if (!tensor.defined() || tensor.is_cpu()) {
      return tensor;
    }
    if (!device_) {
      device_ = tensor.device();
    }
    for (Pair& pair : pairs_) {
      if (pair.original.is_same(tensor)) {
        pair.written = pair.written || written;
        return pair.on_cpu;
      }
    }
    pairs_.push_back({tensor, copy_to_cpu(tensor), written});
    return pairs_.back().on_cpu;
  }

  // With the same strides, from which operators derive those of their results.
  static Tensor copy_to_cpu(const Tensor& tensor) {
    Tensor copy = at::empty_strided(
        tensor.sizes(), tensor.strides(), tensor.scalar_type(), tensor.layout(), Device(kCPU),
        /*pin_memory=*/false);
    if (tensor.is_non_overlapping_and_dense()) {
      at::methods::copy_(copy, tensor);
    } else {
      copy = at::methods::to(tensor, Device(kCPU), tensor.scalar_type());
    }
    copy.unsafeGetTensorImpl()->set_wrapped_number(
        tensor.unsafeGetTensorImpl()->is_wrapped_number());
    return copy;
  }

  // The argument whose stand-in was returned.
  IValue original_of(const IValue& value) const {
    if (value.isTensor()) {
      for (const Pair& pair : pairs_) {
        if (pair.on_cpu.is_same(value.toTensor())) {
          return IValue(pair.original);
        }
      }
      return value;
    }
    if (value.isTensorList()) {
      std::vector<Tensor> list;
      for (const Tensor& tensor : value.toTensorList()) {
        list.push_back(original_of(IValue(tensor)).toTensor());
      }
      return IValue(std::move(list));
    }
    return value;
  }

  Tensor to_device(const Tensor& tensor) const {
    return device_ && tensor.defined() && tensor.is_cpu()
        ? at::methods::to(tensor, *device_, tensor.scalar_type(), false, /*copy=*/true)
        : tensor;
  }
  IValue to_device(const IValue& value) const {
    if (value.isTensor()) {
      return IValue(to_device(value.toTensor()));
    }
    if (value.isTensorList()) {
      std::vector<Tensor> list;
      for (const Tensor& tensor : value.toTensorList()) {
        list.push_back(to_device(tensor));
      }
      return IValue(std::move(list));
    }
    return value;
  }

  void report_view(bool error) const {
    const auto type = c10::DeviceTypeName(device_ ? device_->type() : kCPU, true);
    TORCH_CHECK(
        !error, "The operator ", schema_.name(), " appears to be a view operator, but it has no ",
        "implementation for the backend \"", type,
        "\". View operators don't support falling back to run on the CPU, since the tensor's "
        "storage cannot be shared across devices.");
    TORCH_WARN(
        "The operator ", schema_.name(),
        " appears to be a view operator, but it has no "
        "implementation for the backend \"",
        type,
        "\". View operators don't support falling back to run on the CPU, since the tensor's "
        "storage cannot be shared across devices; the result is a copy.");
  }

  const c10::FunctionSchema& schema_;
  torch::jit::Stack& stack_;
  size_t first_;
  std::vector<Pair> pairs_;
  std::optional<Device> device_;
};

} // namespace

void cpu_fallback(
    const c10::OperatorHandle& op, torch::jit::Stack* stack, bool error_on_views,
    c10::DispatchKey cpu_dispatch_key) {
  Fallback fallback(op, *stack);
  fallback.move_arguments();
  op.redispatchBoxed(c10::DispatchKeySet(cpu_dispatch_key), stack);
  fallback.write_back();
  fallback.move_results(error_on_views);
}

} // namespace at::native
