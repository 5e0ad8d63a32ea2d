// normal_: the stream of pairs that the Box-Muller method derives from uniform numbers.

#include <ATen/native/RandomKernels.h>
#include <ATen/native/UniformDistributions.h>

#include <ATen/Dispatch.h>
#include <ATen/ops/normal_native.h>
#include <ATen/ops/view_as_real.h>

#include <algorithm>
#include <cmath>

namespace at::native {

DEFINE_DISPATCH(box_muller_stub);

namespace {

constexpr int64_t block_size = 16;

// All numbers are drawn first. If the length is not a multiple of 16, the last 16 are drawn again.
template <typename T>
void fill_normal(T* data, int64_t count, double mean, double std, CPUGeneratorImpl& generator) {
  constexpr bool is_double = std::is_same_v<T, double>;
  draw_uniform(data, count, generator);
  box_muller_stub.on_host(data, count / block_size, mean, std, is_double);
  if (count % block_size != 0) {
    T* tail = data + count - block_size;
    draw_uniform(tail, block_size, generator);
    box_muller_stub.on_host(tail, 1, mean, std, is_double);
  }
}

// Half and bfloat16 are computed in float, several blocks at a time; only whole blocks and the last
// 16 numbers are drawn here.
template <typename T>
void fill_normal_reduced(
    T* data, int64_t count, double mean, double std, CPUGeneratorImpl& generator) {
  constexpr int64_t run = 64 * block_size;
  float buffer[run];
  const auto fill = [&](T* out, int64_t length) {
    draw_uniform(buffer, length, generator);
    box_muller_stub.on_host(buffer, length / block_size, mean, std, false);
    std::copy_n(buffer, length, out);
  };
  const int64_t whole = count / block_size * block_size;
  for (int64_t done = 0; done < whole; done += run) {
    fill(data + done, std::min(run, whole - done));
  }
  if (whole != count) {
    fill(data + count - block_size, block_size);
  }
}

template <typename T>
void normal_typed(const Tensor& self, double mean, double std, CPUGeneratorImpl& generator) {
  const int64_t count = self.numel();
  if (count >= block_size && self.is_contiguous()) {
    T* data = self.mutable_data_ptr<T>();
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      fill_normal(data, count, mean, std, generator);
    } else {
      fill_normal_reduced(data, count, mean, std, generator);
    }
    return;
  }
  fill_in_order<T>(self, [&] { return static_cast<T>(next_normal(generator) * std + mean); });
}

void normal_kernel(const Tensor& self, double mean, double std, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_FLOATING_TYPES_AND2(kHalf, kBFloat16, self.scalar_type(), "normal_kernel_cpu", [&] {
    normal_typed<scalar_t>(self, mean, std, *locked);
  });
}

} // namespace

DEFINE_DISPATCH(normal_stub);
REGISTER_DISPATCH(normal_stub, &normal_kernel)

Tensor& normal_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  TORCH_CHECK(std >= 0.0, "normal expects std >= 0.0, but found std ", std);
  if (self.is_complex()) {
    // A complex number's variance is split evenly between its two parts.
    Tensor parts = at::view_as_real(self);
    normal_(parts, mean, std / std::sqrt(2.0), std::move(generator));
    return self;
  }
  if (self.numel() == 0) {
    return self;
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::isFloatingType(self.scalar_type()), "\"normal_kernel_cpu\" not implemented for '",
      self.scalar_type(), "'");
  normal_stub(self.device().type(), self, mean, std, generator);
  return self;
}

Tensor& normal_meta_(Tensor& self, double mean, double std, std::optional<Generator> generator) {
  return normal_(self, mean, std, std::move(generator));
}

} // namespace at::native
