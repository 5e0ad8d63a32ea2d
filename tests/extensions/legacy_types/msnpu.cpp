// A back end of an extension, registered through the Type families: memory on the host, and three
// operators. Each kernel counts its calls.
#include <ATen/ExtensionBackendRegistration.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <array>
#include <cstring>

namespace {

using at::Tensor;
using at::legacy::Backend;

constexpr auto kDevice = c10::DeviceType::MAIA;

struct Guard final : c10::impl::NoOpDeviceGuardImpl<kDevice> {
  c10::Device getDevice() const override { return {kDevice, 0}; }
  c10::Device exchangeDevice(c10::Device) const override { return {kDevice, 0}; }
};
C10_REGISTER_GUARD_IMPL(MAIA, Guard)

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    void* data = bytes ? std::malloc(bytes) : nullptr;
    return {data, data, &std::free, c10::Device(kDevice, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &std::free; }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    std::memcpy(destination, source, bytes);
  }
};
Allocator allocator;

int64_t calls = 0;

Tensor empty(
    at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
    std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat>) {
  ++calls;
  return at::detail::empty_generic(
      size, &allocator, c10::dispatch_key_set_of(kDevice), dtype.value_or(at::kFloat),
      std::nullopt);
}

Tensor empty_like(const Tensor& self) {
  return empty(self.sizes(), self.scalar_type(), {}, {}, {}, {});
}

Tensor add(const Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  ++calls;
  Tensor result = empty_like(self);
  const auto* left = static_cast<const float*>(self.const_data_ptr());
  const auto* right = static_cast<const float*>(other.const_data_ptr());
  auto* to = static_cast<float*>(result.mutable_data_ptr());
  for (int64_t i = 0; i < self.numel(); ++i)
    to[i] = left[i] + alpha.to<float>() * right[i];
  return result;
}

Tensor& fill_(Tensor& self, const at::Scalar& value) {
  ++calls;
  auto* to = static_cast<float*>(self.mutable_data_ptr());
  for (int64_t i = 0; i < self.numel(); ++i)
    to[i] = value.to<float>();
  return self;
}

void register_all() {
  at::register_extension_backend_op(
      Backend::MSNPU,
      "empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      &empty);
  at::register_extension_backend_op(
      Backend::MSNPU, "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha) -> Tensor",
      &add);
  at::register_extension_backend_op(Backend::MSNPU, "fill_.Scalar", &fill_);
}

void register_wrongly(c10::string_view mistake) {
  if (mistake == "schema") {
    at::register_extension_backend_op(
        Backend::MSNPU, "add.Tensor(Tensor self, Tensor other) -> Tensor", &add);
  } else if (mistake == "name") {
    at::register_extension_backend_op(Backend::MSNPU, "addd.Tensor", &add);
  } else if (mistake == "function") {
    at::register_extension_backend_op(Backend::MSNPU, "mul.Tensor", &add);
  } else {
    at::register_extension_backend_op(Backend::CPU, "add.Tensor", &add);
  }
}

} // namespace

TORCH_LIBRARY(msnpu_test, m) {
  m.def("register_all() -> ()", &register_all);
  m.def("register_wrongly(str mistake) -> ()", &register_wrongly);
  m.def("calls() -> int", []() { return calls; });
  m.def("values(Tensor self) -> float[]");
  m.impl("values", c10::DispatchKey::MAIA, [](const Tensor& self) {
    const auto* from = static_cast<const float*>(self.const_data_ptr());
    return std::vector<double>(from, from + self.numel());
  });
}
