// equal, isclose and allclose.

#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/add.h>
#include <ATen/ops/all.h>
#include <ATen/ops/allclose_native.h>
#include <ATen/ops/and.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/equal_native.h>
#include <ATen/ops/isclose.h>
#include <ATen/ops/isclose_native.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/item.h>
#include <ATen/ops/le.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/or.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/to.h>
#include <c10/core/DefaultDtype.h>

#include <atomic>

namespace at::native {

namespace {

// Compares in blocks without branches, so that differences are found early and equality is fast.
template <typename T>
bool run_equal(char** data, const int64_t* strides, int64_t n) {
  constexpr int64_t kBlock = 256;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = begin + kBlock < n ? begin + kBlock : n;
    bool same = true;
    for (int64_t i = begin; i < end; ++i) {
      same &= *reinterpret_cast<const T*>(data[0] + i * strides[0]) ==
          *reinterpret_cast<const T*>(data[1] + i * strides[1]);
    }
    if (!same) {
      return false;
    }
  }
  return true;
}

template <typename T>
bool iterator_equal(TensorIterator& iter) {
  std::atomic<bool> equal{true};
  iter.for_each([&](char** data, const int64_t* strides, int64_t n) {
    if (equal.load(std::memory_order_relaxed) && !run_equal<T>(data, strides, n)) {
      equal.store(false, std::memory_order_relaxed);
    }
  });
  return equal.load();
}

bool equal_values(TensorIterator& iter, ScalarType dtype) {
  switch (dtype) {
    case kFloat:
      return iterator_equal<float>(iter);
    case kDouble:
      return iterator_equal<double>(iter);
    case kHalf:
      return iterator_equal<c10::Half>(iter);
    case kBFloat16:
      return iterator_equal<c10::BFloat16>(iter);
    case kComplexFloat:
      return iterator_equal<c10::complex<float>>(iter);
    case kComplexDouble:
      return iterator_equal<c10::complex<double>>(iter);
    case kComplexHalf:
      at::detail::dispatch_unsupported("equal_cpu", dtype);
    default:
      break;
  }
  if (c10::isOpaqueType(dtype)) {
    at::detail::dispatch_unsupported("equal_cpu", dtype);
  }
  switch (c10::elementSize(dtype)) {
    case 1:
      return iterator_equal<uint8_t>(iter);
    case 2:
      return iterator_equal<uint16_t>(iter);
    case 4:
      return iterator_equal<uint32_t>(iter);
    default:
      return iterator_equal<uint64_t>(iter);
  }
}

} // namespace

bool cpu_equal(const Tensor& self, const Tensor& other) {
  if (self.sizes() != other.sizes()) {
    return false;
  }
  if (self.numel() == 0) {
    return true;
  }
  if (!self.is_cpu() || self.scalar_type() != other.scalar_type() ||
      c10::isFloat8Type(self.scalar_type())) {
    return at::methods::item(at::all(at::eq(self, other))).toBool();
  }
  auto iter = TensorIteratorConfig().add_const_input(self).add_const_input(other).build();
  return equal_values(iter, self.scalar_type());
}

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  TORCH_CHECK(
      self.scalar_type() == other.scalar_type(), self.scalar_type(), " did not match ",
      other.scalar_type());
  TORCH_CHECK(rtol >= 0, "rtol must be greater than or equal to zero, but got ", rtol);
  TORCH_CHECK(atol >= 0, "atol must be greater than or equal to zero, but got ", atol);
  Tensor close = at::eq(self, other);
  if (equal_nan && (self.is_floating_point() || self.is_complex())) {
    close = at::logical_or(close, at::logical_and(at::ne(self, self), at::ne(other, other)));
  }
  if (rtol == 0 && atol == 0) {
    return close;
  }
  Tensor left = self;
  Tensor right = other;
  if (c10::isIntegralType(self.scalar_type(), true)) {
    left = at::methods::to(self, c10::get_default_dtype_as_scalartype());
    right = at::methods::to(other, c10::get_default_dtype_as_scalartype());
  }
  // self - other| <= atol + |rtol * other|, where the difference is finite.
  const Tensor allowed = at::add(at::abs(at::mul(right, rtol)), atol);
  const Tensor actual = at::abs(at::sub(left, right));
  at::methods::__ior__(close, at::methods::__iand__(at::isfinite(actual), at::le(actual, allowed)));
  return close;
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return at::methods::item(at::all(at::isclose(self, other, rtol, atol, equal_nan))).toBool();
}

} // namespace at::native
