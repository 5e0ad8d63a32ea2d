#include <ATen/native/RandomKernels.h>
#include <ATen/native/UniformDistributions.h>

#include <ATen/Dispatch.h>
#include <ATen/ExpandUtils.h>
#include <ATen/native/SameDevice.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/bernoulli_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/to.h>

#include <cmath>
#include <cstring>

namespace at::native {

namespace {

// Sets data[i] to whether a number in [0, 1) of 53 random bits is below p.
template <typename T>
void draw_below(T* data, int64_t count, CPUGeneratorImpl& generator, double p) {
  constexpr uint64_t kBits = (uint64_t{1} << 53) - 1;
  const auto limit = static_cast<uint64_t>(std::ceil(p * 0x1p53));
  draw_words<2>(generator, count, [&](const uint32_t* words, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i, words += 2) {
      const uint64_t number = ((uint64_t{words[0]} << 32) | words[1]) & kBits;
      data[i] = number < limit ? static_cast<T>(1) : static_cast<T>(0);
    }
  });
}

void bernoulli_kernel(const Tensor& self, double p, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  AT_DISPATCH_ALL_TYPES_AND3(
      kBool, kHalf, kBFloat16, self.scalar_type(), "bernoulli_scalar_cpu_", [&] {
        fill_runs<scalar_t>(
            self, [&](scalar_t* data, int64_t count) { draw_below(data, count, *locked, p); });
      });
}

} // namespace

DEFINE_DISPATCH(bernoulli_stub);
DEFINE_DISPATCH(bernoulli_each_stub);
REGISTER_DISPATCH(bernoulli_stub, &bernoulli_kernel)

Tensor& bernoulli_(Tensor& self, double p, std::optional<Generator> generator) {
  TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
  if (self.numel() != 0) {
    bernoulli_stub(self.device().type(), self, p, generator);
  }
  return self;
}

namespace {

// Compares one draw per element with that element's probability. The result is 0 or 1 in the
// output's dtype, stored as bytes.
template <typename Probability>
void bernoulli_each(const Tensor& self, const Tensor& p, CPUGeneratorImpl& generator) {
  const auto itemsize = self.itemsize();
  const ScalarBytes zero = scalar_bytes(0, self.scalar_type());
  const ScalarBytes one = scalar_bytes(1, self.scalar_type());
  auto iterator = TensorIteratorConfig()
                      .add_output(self)
                      .add_const_input(p)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .build();
  iterator.serial_for_each(
      [&](char** data, const int64_t* strides, int64_t size0, int64_t size1) {
        for (int64_t outer = 0; outer < size1; ++outer) {
          char* out = data[0] + outer * strides[2];
          const char* in = data[1] + outer * strides[3];
          for (int64_t i = 0; i < size0; ++i) {
            const auto chance = *reinterpret_cast<const Probability*>(in + i * strides[1]);
            TORCH_CHECK(
                chance >= 0 && chance <= 1,
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error "
                "message be improved?  If so, please report an enhancement request to PyTorch.)");
            bool chosen = false;
            if constexpr (sizeof(Probability) == sizeof(double)) {
              chosen = uniform_double(generator) < chance;
            } else {
              chosen = uniform_float(generator) < chance;
            }
            std::memcpy(out + i * strides[0], (chosen ? one : zero).data, itemsize);
          }
        }
      },
      {0, iterator.numel()});
}

void bernoulli_each_kernel(const Tensor& self, const Tensor& p, const MaybeGenerator& generator) {
  const LockedGenerator locked(generator);
  if (p.scalar_type() == kDouble) {
    bernoulli_each<double>(self, p, *locked);
  } else {
    bernoulli_each<float>(self, p, *locked);
  }
}

} // namespace

REGISTER_DISPATCH(bernoulli_each_stub, &bernoulli_each_kernel)

Tensor& bernoulli_(Tensor& self, const Tensor& p, std::optional<Generator> generator) {
  const ScalarType dtype = p.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::isFloatingType(dtype), "\"bernoulli_tensor_cpu_p_\" not implemented for '", dtype, "'");
  check_same_device(self, p);
  if (self.is_meta() || self.numel() == 0) {
    return self;
  }
  check_not_storage_dtype(self.scalar_type(), "bernoulli_tensor_cpu_self_");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !self.is_complex(), "\"bernoulli_tensor_cpu_self_\" not implemented for '",
      self.scalar_type(), "'");
  const Tensor chances =
      *expand_inplace(self, at::methods::to(p, dtype == kDouble ? kDouble : kFloat), "bernoulli_");
  bernoulli_each_stub(self.device().type(), self, chances, generator);
  return self;
}

Tensor& bernoulli_out(const Tensor& self, std::optional<Generator> generator, Tensor& result) {
  at::methods::resize_(result, self.sizes());
  return bernoulli_(result, self, std::move(generator));
}

Tensor bernoulli(const Tensor& self, std::optional<Generator> generator) {
  Tensor result = at::empty_like(self, {}, MemoryFormat::Contiguous);
  return bernoulli_(result, self, std::move(generator));
}

Tensor bernoulli(const Tensor& self, double p, std::optional<Generator> generator) {
  Tensor result = at::empty_like(self, {}, MemoryFormat::Contiguous);
  return bernoulli_(result, p, std::move(generator));
}

} // namespace at::native
