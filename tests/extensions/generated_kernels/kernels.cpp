// Kernels of operators whose registrations are generated, for the private device. Those for CUDA
// are only registered: no tensor of this build reaches them.

#include "memory.h"

#include <ATen/ATen.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <ATen/ops/granite_current_native.h>
#include <ATen/ops/granite_layout_native.h>
#include <ATen/ops/granite_layout_ops.h>
#include <ATen/ops/granite_new_native.h>
#include <ATen/ops/granite_scale_meta.h>
#include <ATen/ops/granite_scale_native.h>
#include <ATen/ops/granite_unguarded_current_native.h>
#include <ATen/ops/granite_unguarded_scale_meta.h>
#include <ATen/ops/granite_unguarded_scale_native.h>
#include <ATen/ops/granite_scale_ops.h>
#include <torch/library.h>

#include <cstring>
#include <string>

namespace at::meta {

void structured_granite_scale::meta(const Tensor& self, const Scalar&) {
  build_unary_op(maybe_get_output(), self);
}

void structured_granite_unguarded_scale::meta(const Tensor& self, const Scalar&) {
  set_output_raw_strided(0, self.sizes(), {}, self.options());
}

} // namespace at::meta

namespace at::native {

namespace {

int64_t device_of_last_impl = -1;

// Both are dense and contiguous, of float.
void scale(const Tensor& self, const Scalar& factor, const Tensor& out) {
  device_of_last_impl = private_device::current_device();
  TORCH_CHECK(self.scalar_type() == kFloat && self.is_contiguous() && out.is_contiguous());
  const char* from = private_device::bytes_of(self.const_data_ptr());
  char* to = private_device::bytes_of(out.mutable_data_ptr());
  for (int64_t i = 0; i < self.numel(); ++i) {
    float value;
    std::memcpy(&value, from + i * sizeof(value), sizeof(value));
    value *= factor.to<float>();
    std::memcpy(to + i * sizeof(value), &value, sizeof(value));
  }
}

} // namespace

void structured_granite_scale_out::impl(
    const Tensor& self, const Scalar& factor, const Tensor& out) {
  scale(self, factor, out);
}
void structured_granite_scale_out_cuda::impl(const Tensor&, const Scalar&, const Tensor&) {
  TORCH_CHECK(false, "there is no CUDA here");
}
void structured_granite_unguarded_scale_out::impl(
    const Tensor& self, const Scalar& factor, const Tensor& out) {
  scale(self, factor, out);
}

int64_t granite_current(const Tensor&) {
  return private_device::current_device();
}
int64_t granite_current_cuda(const Tensor&) {
  TORCH_CHECK(false, "there is no CUDA here");
}
int64_t granite_unguarded_current(const Tensor&) {
  return private_device::current_device();
}

int64_t granite_current_list(TensorList) {
  return private_device::current_device();
}
int64_t granite_current_optional(
    const c10::List<std::optional<Tensor>>&, const std::optional<Tensor>&) {
  return private_device::current_device();
}
Tensor granite_new(
    int64_t size, std::optional<ScalarType>, std::optional<Layout>, std::optional<Device> device,
    std::optional<bool>) {
  const Tensor made = at::empty({size}, at::TensorOptions().device(*device));
  return made.fill_(private_device::current_device());
}

int64_t granite_layout_sparse(const Tensor&) {
  return 1;
}
int64_t granite_layout_sparse_compressed(const Tensor&) {
  return 2;
}
int64_t granite_layout_quantized(const Tensor&) {
  return 3;
}
int64_t granite_layout_mkldnn(const Tensor&) {
  return 4;
}
int64_t granite_layout_nested(const Tensor&) {
  return 5;
}

} // namespace at::native

TORCH_LIBRARY(generated_kernels, m) {
  m.def("device_of_last_impl() -> int", [] { return at::native::device_of_last_impl; });
  m.def("layout_of_key(Tensor self, str key) -> int", [](const at::Tensor& self, std::string key) {
    return at::_ops::granite_layout::redispatch(
        c10::DispatchKeySet(c10::parseDispatchKey(key)), self);
  });
  m.def("cuda_kernels() -> int", [] {
    const auto key = c10::DispatchKey::CUDA;
    return static_cast<int64_t>(at::_ops::granite_scale::entry.has_kernel_for(key)) +
        at::_ops::granite_scale_::entry.has_kernel_for(key) +
        at::_ops::granite_scale_out::entry.has_kernel_for(key);
  });
}
