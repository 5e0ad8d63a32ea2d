// Point-wise functions and factories composed of other operators.

#include <ATen/TensorIterator.h>

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/bitwise_left_shift.h>
#include <ATen/ops/bitwise_left_shift_native.h>
#include <ATen/ops/bitwise_right_shift.h>
#include <ATen/ops/bitwise_right_shift_native.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/clamp_max.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/complex_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/copysign.h>
#include <ATen/ops/copysign_native.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/deg2rad_native.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/float_power_native.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/log.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/logit_native.h>
#include <ATen/ops/logspace.h>
#include <ATen/ops/logspace_native.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/nanmean_native.h>
#include <ATen/ops/nansum.h>
#include <ATen/ops/nansum_native.h>
#include <ATen/ops/polar_native.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rad2deg_native.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/signbit_native.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/to.h>
#include <ATen/ops/tril_indices_native.h>
#include <ATen/ops/triu_indices_native.h>
#include <ATen/ops/view.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace at::native {

// ---- angles ----------------------------------------------------------------------------------

Tensor deg2rad(const Tensor& self) {
  TORCH_CHECK(!self.is_complex(), "deg2rad is not supported for complex tensors.");
  return self * (std::numbers::pi / 180);
}

Tensor rad2deg(const Tensor& self) {
  TORCH_CHECK(!self.is_complex(), "rad2deg is not supported for complex tensors.");
  return self * (180 / std::numbers::pi);
}

// ---- powers, log-odds --------------------------------------------------------------------------

namespace {

ScalarType widest(bool is_complex) {
  return is_complex ? kComplexDouble : kDouble;
}

} // namespace

Tensor float_power(const Tensor& self, const Tensor& exponent) {
  const ScalarType dtype = widest(self.is_complex() || exponent.is_complex());
  return at::pow(at::methods::to(self, dtype), at::methods::to(exponent, dtype));
}

Tensor float_power(const Tensor& self, const Scalar& exponent) {
  const ScalarType dtype = widest(self.is_complex() || exponent.isComplex());
  return at::pow(at::methods::to(self, dtype), exponent);
}

Tensor float_power(const Scalar& self, const Tensor& exponent) {
  const ScalarType dtype = widest(self.isComplex() || exponent.is_complex());
  return at::pow(self, at::methods::to(exponent, dtype));
}

Tensor logit(const Tensor& self, std::optional<double> eps) {
  if (self.is_complex()) {
    at::detail::dispatch_unsupported("logit_cpu", self.scalar_type());
  }
  const Tensor x = self.is_floating_point()
      ? self
      : at::methods::to(self, c10::get_default_dtype_as_scalartype());
  Tensor inside = x;
  if (eps) {
    // The lower bound wins where eps exceeds 1/2, other than in clamp.
    inside = at::where(at::lt(x, *eps), *eps, at::clamp_max(x, 1 - *eps));
  }
  return at::log(inside / (1 - inside));
}

Tensor& logit_(Tensor& self, std::optional<double> eps) {
  TORCH_CHECK(
      !c10::isIntegralType(self.scalar_type(), /*includeBool=*/true), "result type ",
      c10::get_default_dtype_as_scalartype(), " can't be cast to the desired output type ",
      self.scalar_type());
  return at::methods::copy_(self, native::logit(self, eps));
}

Tensor signbit(const Tensor& self) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !self.is_complex(), "signbit is not implemented for complex tensors.");
  if (c10::isBarebonesUnsignedType(self.scalar_type())) {
    return at::zeros_like(self, self.options().dtype(kBool));
  }
  if (!self.is_floating_point()) {
    return at::lt(self, 0);
  }
  // The sign of a number is that of its bits.
  const ScalarType bits = self.itemsize() == 2 ? kShort : self.itemsize() == 4 ? kInt : kLong;
  return at::lt(at::methods::view(self, bits), 0);
}

// ---- copysign with a number --------------------------------------------------------------------

namespace {

Tensor number_like(const Scalar& number) {
  Tensor result = at::scalar_tensor(number, TensorOptions().dtype(number.type()));
  result.unsafeGetTensorImpl()->set_wrapped_number(true);
  return result;
}

} // namespace

Tensor copysign(const Tensor& self, const Scalar& other) {
  return at::copysign(self, number_like(other));
}

Tensor& copysign_(Tensor& self, const Scalar& other) {
  return at::methods::copysign_(self, number_like(other));
}

Tensor& copysign_out(const Tensor& self, const Scalar& other, Tensor& out) {
  return at::copysign_out(out, self, number_like(other));
}

// ---- shifts ----------------------------------------------------------------------------------

DEFINE_DISPATCH(left_shift_stub);
DEFINE_DISPATCH(right_shift_stub);

#define AT_SHIFT(op, stub)                                                 \
  Tensor op(const Tensor& self, const Tensor& other) {                     \
    TensorIterator iter;                                                   \
    iter.build_binary_op(TensorBase(), self, other);                       \
    stub(iter.device_type(), iter);                                        \
    return Tensor(iter.take_output());                                     \
  }                                                                        \
  Tensor& op##_out(const Tensor& self, const Tensor& other, Tensor& out) { \
    TensorIterator iter;                                                   \
    iter.build_binary_op(out, self, other);                                \
    stub(iter.device_type(), iter);                                        \
    return out;                                                            \
  }                                                                        \
  Tensor& op##_(Tensor& self, const Tensor& other) {                       \
    return native::op##_out(self, other, self);                            \
  }                                                                        \
  Tensor op(const Tensor& self, const Scalar& other) {                     \
    return at::op(self, number_like(other));                               \
  }                                                                        \
  Tensor& op##_out(const Tensor& self, const Scalar& other, Tensor& out) { \
    return at::op##_out(out, self, number_like(other));                    \
  }                                                                        \
  Tensor& op##_(Tensor& self, const Scalar& other) {                       \
    return at::methods::op##_(self, number_like(other));                   \
  }                                                                        \
  Tensor op(const Scalar& self, const Tensor& other) {                     \
    return at::op(number_like(self), other);                               \
  }
AT_SHIFT(bitwise_left_shift, left_shift_stub)
AT_SHIFT(bitwise_right_shift, right_shift_stub)
#undef AT_SHIFT

// ---- sums without NaN --------------------------------------------------------------------------

Tensor nansum(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  TORCH_CHECK(!self.is_complex(), "nansum on CPU does not support complex inputs");
  const bool has_nan = self.is_floating_point();
  const Tensor numbers = has_nan ? at::masked_fill(self, at::isnan(self), 0) : self;
  return at::sum(numbers, dim, keepdim, dtype);
}

Tensor nanmean(
    const Tensor& self, OptionalIntArrayRef dim, bool keepdim, std::optional<ScalarType> dtype) {
  TORCH_CHECK(
      self.is_floating_point() || self.is_complex(),
      "nanmean(): expected input to have floating point or complex dtype but got ",
      self.scalar_type());
  const Tensor count = at::sum(at::logical_not(at::isnan(self)), dim, keepdim);
  return at::div(at::nansum(self, dim, keepdim, dtype), count);
}

// ---- complex numbers ---------------------------------------------------------------------------

namespace {

void check_parts(const Tensor& a, const Tensor& b) {
  TORCH_CHECK(
      (a.scalar_type() == kFloat || a.scalar_type() == kDouble || a.scalar_type() == kHalf) &&
          (b.scalar_type() == kFloat || b.scalar_type() == kDouble || b.scalar_type() == kHalf),
      "Expected both inputs to be Half, Float or Double tensors but got ", a.scalar_type(), " and ",
      b.scalar_type());
  TORCH_CHECK(
      a.scalar_type() == b.scalar_type(), "Expected object of scalar type ", a.scalar_type(),
      " but got scalar type ", b.scalar_type(), " for second argument");
}

} // namespace

Tensor complex(const Tensor& real, const Tensor& imag) {
  check_parts(real, imag);
  const auto parts = at::broadcast_tensors({real, imag});
  return at::view_as_complex(at::stack(parts, -1));
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  check_parts(abs, angle);
  return native::complex(abs * at::cos(angle), abs * at::sin(angle));
}

// ---- factories -------------------------------------------------------------------------------

namespace {

// The indices [2, n] of the columns that `range_of` gives for each row, first to last.
template <class index_t, class RangeOf>
void write_triangle(const Tensor& result, int64_t rows, int64_t columns, const RangeOf& range_of) {
  auto* row = result.mutable_data_ptr<index_t>();
  index_t* column = row + result.size(1);
  // Calls take longer than a few stores.
  constexpr int64_t kShort = 64;
  std::vector<index_t> numbers(columns < kShort ? 0 : columns);
  std::iota(numbers.begin(), numbers.end(), index_t{0});
  for (int64_t r = 0; r < rows; ++r) {
    const auto [begin, end] = range_of(r);
    if (end - begin < kShort) {
      for (int64_t c = begin; c < end; ++c) {
        *row++ = static_cast<index_t>(r);
        *column++ = static_cast<index_t>(c);
      }
      continue;
    }
    fill_elements(row, end - begin, scalar_bytes(r, result.scalar_type()), sizeof(index_t));
    row += end - begin;
    column = std::copy(numbers.begin() + begin, numbers.begin() + end, column);
  }
}

template <class RangeOf>
Tensor triangle_indices(
    const char* name, int64_t rows, int64_t columns, std::optional<ScalarType> dtype,
    std::optional<Device> device, std::optional<bool> pin_memory, const RangeOf& range_of) {
  TORCH_CHECK(rows >= 0, "row must be non-negative, got", rows);
  TORCH_CHECK(columns >= 0, "col must be non-negative, got", columns);
  const ScalarType type = dtype.value_or(kLong);
  int64_t count = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const auto [begin, end] = range_of(r);
    count += end - begin;
  }
  const Device target = device.value_or(kCPU);
  const auto options = TensorOptions().dtype(type).device(target).pinned_memory(pin_memory);
  const Tensor result = at::empty({2, count}, options);
  if (type != kLong && type != kInt) at::detail::dispatch_unsupported(name, type);
  if (target.is_meta()) return result;
  const Tensor written = target.is_cpu() ? result : at::empty({2, count}, options.device(kCPU));
  if (type == kInt) {
    write_triangle<int32_t>(written, rows, columns, range_of);
  } else {
    write_triangle<int64_t>(written, rows, columns, range_of);
  }
  if (!written.is_same(result)) at::methods::copy_(result, written);
  return result;
}

} // namespace

Tensor tril_indices(
    int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
    std::optional<Layout> /*layout*/, std::optional<Device> device,
    std::optional<bool> pin_memory) {
  return triangle_indices("tril_indices", row, col, dtype, device, pin_memory, [&](int64_t r) {
    return std::pair<int64_t, int64_t>(0, std::clamp<int64_t>(r + offset + 1, 0, col));
  });
}

Tensor triu_indices(
    int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
    std::optional<Layout> /*layout*/, std::optional<Device> device,
    std::optional<bool> pin_memory) {
  return triangle_indices("triu_indices", row, col, dtype, device, pin_memory, [&](int64_t r) {
    return std::pair<int64_t, int64_t>(std::clamp<int64_t>(r + offset, 0, col), col);
  });
}

Tensor logspace(
    const Scalar& start, const Scalar& end, int64_t steps, double base,
    std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
    std::optional<bool> pin_memory) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  const bool is_complex = start.isComplex() || end.isComplex();
  const ScalarType result = dtype.value_or(c10::typeMetaToScalarType(
      is_complex ? c10::get_default_complex_dtype() : c10::get_default_dtype()));
  const ScalarType computed = c10::isComplexType(result) ? kComplexDouble : kDouble;
  // PyTorch rounds both ends to the result's dtype first.
  const auto rounded = [&](const Scalar& bound) {
    return at::methods::item(at::scalar_tensor(bound, c10::TensorOptions(result)));
  };
  const Tensor exponents =
      at::linspace(rounded(start), rounded(end), steps, computed, layout, device, pin_memory);
  return at::methods::to(at::pow(Scalar(base), exponents), result);
}

namespace {

Scalar logspace_bound(const Tensor& bound, const char* name) {
  TORCH_CHECK(
      bound.dim() == 0, "logspace only supports 0-dimensional start and end tensors, but got ",
      name, " with ", bound.dim(), " dimension(s).");
  return at::methods::item(bound);
}

} // namespace

Tensor logspace(
    const Tensor& start, const Tensor& end, int64_t steps, double base,
    std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
    std::optional<bool> pin_memory) {
  TORCH_CHECK(
      start.dim() == 0 && end.dim() == 0,
      "logspace only supports 0-dimensional start and end tensors, but got start with ",
      start.dim(), " dimension(s) and end with ", end.dim(), " dimension(s).");
  return at::logspace(
      at::methods::item(start), at::methods::item(end), steps, base, dtype, layout, device,
      pin_memory);
}

Tensor logspace(
    const Tensor& start, const Scalar& end, int64_t steps, double base,
    std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
    std::optional<bool> pin_memory) {
  return at::logspace(
      logspace_bound(start, "start"), end, steps, base, dtype, layout, device, pin_memory);
}

Tensor logspace(
    const Scalar& start, const Tensor& end, int64_t steps, double base,
    std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device,
    std::optional<bool> pin_memory) {
  return at::logspace(
      start, logspace_bound(end, "end"), steps, base, dtype, layout, device, pin_memory);
}

} // namespace at::native
