// arange and linspace.

#include <ATen/native/RangeFactories.h>

#include <ATen/Dispatch.h>
#include <ATen/native/Factories.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/arange_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/item.h>
#include <ATen/ops/linspace_native.h>
#include <ATen/ops/resize.h>

#include <cmath>
#include <limits>

namespace at::native {

DEFINE_DISPATCH(arange_stub);
DEFINE_DISPATCH(linspace_stub);

namespace {

// The number of elements of an int64 arange, computed without floating point.
int64_t integral_length(int64_t start, int64_t end, int64_t step) {
  TORCH_CHECK_VALUE(step != 0, "step must be nonzero");
  TORCH_CHECK(
      (step > 0 && end >= start) || (step < 0 && end <= start),
      "upper bound and lower bound inconsistent with step sign");
  // Unsigned, because the distance between two int64 values may not fit an int64.
  const uint64_t distance = step > 0 ? static_cast<uint64_t>(end) - static_cast<uint64_t>(start)
                                     : static_cast<uint64_t>(start) - static_cast<uint64_t>(end);
  const uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const uint64_t length = distance / stride + (distance % stride != 0 ? 1 : 0);
  TORCH_CHECK(
      length <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
      "invalid size, possible overflow?");
  return static_cast<int64_t>(length);
}

int64_t floating_length(double start, double end, double step) {
  TORCH_CHECK(
      std::isfinite(start) && std::isfinite(end), "unsupported range: ", start, " -> ", end);
  TORCH_CHECK(
      (step > 0 && end >= start) || (step < 0 && end <= start),
      "upper bound and lower bound inconsistent with step sign");
  const double length = std::ceil((end - start) / step);
  TORCH_CHECK(
      length >= 0 && length <= static_cast<double>(std::numeric_limits<int64_t>::max()),
      "invalid size, possible overflow?");
  return static_cast<int64_t>(length);
}

int64_t arange_length(
    const Scalar& start, const Scalar& end, const Scalar& step, ScalarType dtype) {
  const double real_step = step.to<double>();
  TORCH_CHECK(real_step > 0 || real_step < 0, "step must be nonzero");
  if (dtype == kLong) {
    return integral_length(start.to<int64_t>(), end.to<int64_t>(), step.to<int64_t>());
  }
  return floating_length(start.to<double>(), end.to<double>(), real_step);
}

void check_arange_dtype(ScalarType dtype) {
  const bool supported = c10::isFloatingType(dtype) || dtype == kByte ||
      (c10::isIntegralType(dtype, /*includeBool=*/false) && c10::isSignedType(dtype));
  TORCH_CHECK_NOT_IMPLEMENTED(supported, "\"arange_cpu\" not implemented for '", dtype, "'");
}

// Runs `fill` on `result`, or on a contiguous temporary that is copied back.
template <typename Fill>
Tensor& fill_contiguous(Tensor& result, Fill&& fill) {
  if (result.is_meta() || result.numel() == 0) {
    return result;
  }
  if (result.is_contiguous()) {
    fill(result);
    return result;
  }
  const Tensor contiguous(
      at::detail::empty_on(result.device(), result.sizes(), result.scalar_type()));
  fill(contiguous);
  at::methods::copy_(result, contiguous);
  return result;
}

Tensor& arange_into(const Scalar& start, const Scalar& step, Tensor& result) {
  return fill_contiguous(
      result, [&](const Tensor& out) { arange_stub(out.device().type(), out, start, step); });
}

} // namespace

Tensor arange(
    const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  const bool all_integral = start.isIntegral(true) && end.isIntegral(true) && step.isIntegral(true);
  FactoryOptions options{dtype, layout, device, pin_memory};
  if (!dtype.has_value() && all_integral) {
    options.dtype = kLong;
  }
  const ScalarType result_dtype = options.dtype_or_default();
  check_arange_dtype(result_dtype);
  const int64_t length = arange_length(start, end, step, result_dtype);
  Tensor result = factory_empty({&length, 1}, options);
  return arange_into(start, step, result);
}

Tensor arange(
    const Scalar& start, const Scalar& end, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return arange(start, end, 1, dtype, layout, device, pin_memory);
}

Tensor arange(
    const Scalar& end, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  return arange(0, end, 1, dtype, layout, device, pin_memory);
}

Tensor& arange_out(const Scalar& start, const Scalar& end, const Scalar& step, Tensor& result) {
  check_arange_dtype(result.scalar_type());
  const int64_t length = arange_length(start, end, step, result.scalar_type());
  if (result.numel() != length) {
    if (result.numel() > 0) {
      TORCH_WARN(
          "The number of elements in the out tensor of shape ", result.sizes(), " is ",
          result.numel(), " which does not match the computed number of elements ", length,
          ". Note that this may occur as a result of rounding error. "
          "The out tensor will be resized to a tensor of shape (",
          length, ",).");
    }
    at::methods::resize_(result, {length});
  }
  return arange_into(start, step, result);
}

Tensor& arange_out(const Scalar& end, Tensor& result) {
  return arange_out(0, end, 1, result);
}

Tensor linspace(
    const Scalar& start, const Scalar& end, int64_t steps, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  FactoryOptions options{dtype, layout, device, pin_memory};
  if (start.isComplex() || end.isComplex()) {
    const auto complex_dtype = c10::typeMetaToScalarType(c10::get_default_complex_dtype());
    TORCH_CHECK(
        !dtype.has_value() || c10::isComplexType(*dtype), "linspace(): inferred dtype ",
        complex_dtype, " can't be safely cast to passed dtype ", dtype.value_or(complex_dtype));
    options.dtype = dtype.value_or(complex_dtype);
  }
  Tensor result = factory_empty({&steps, 1}, options);
  return linspace_out(start, end, steps, result);
}

Tensor& linspace_out(const Scalar& start, const Scalar& end, int64_t steps, Tensor& result) {
  TORCH_CHECK(steps >= 0, "number of steps must be non-negative");
  if (result.numel() != steps) {
    at::methods::resize_(result, {steps});
  }
  if (steps == 1) {
    return fill_with(result, start);
  }
  return fill_contiguous(
      result, [&](const Tensor& out) { linspace_stub(out.device().type(), out, start, end); });
}

namespace {

Scalar linspace_bound(const Tensor& bound, const char* name) {
  TORCH_CHECK(
      bound.dim() == 0, "linspace only supports 0-dimensional start and end tensors, but got ",
      name, " with ", bound.dim(), " dimension(s).");
  return at::methods::item(bound);
}

struct LinspaceBounds {
  Scalar start, end;
};

LinspaceBounds linspace_bounds(const Tensor& start, const Tensor& end) {
  TORCH_CHECK(
      start.dim() == 0 && end.dim() == 0,
      "linspace only supports 0-dimensional start and end tensors, but got start with ",
      start.dim(), " dimension(s) and end with ", end.dim(), " dimension(s).");
  return {at::methods::item(start), at::methods::item(end)};
}

} // namespace

Tensor linspace(
    const Tensor& start, const Tensor& end, int64_t steps, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  const LinspaceBounds bounds = linspace_bounds(start, end);
  return linspace(bounds.start, bounds.end, steps, dtype, layout, device, pin_memory);
}

Tensor linspace(
    const Tensor& start, const Scalar& end, int64_t steps, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return linspace(linspace_bound(start, "start"), end, steps, dtype, layout, device, pin_memory);
}

Tensor linspace(
    const Scalar& start, const Tensor& end, int64_t steps, std::optional<ScalarType> dtype,
    std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory) {
  return linspace(start, linspace_bound(end, "end"), steps, dtype, layout, device, pin_memory);
}

Tensor& linspace_out(const Tensor& start, const Tensor& end, int64_t steps, Tensor& result) {
  const LinspaceBounds bounds = linspace_bounds(start, end);
  return linspace_out(bounds.start, bounds.end, steps, result);
}

Tensor& linspace_out(const Tensor& start, const Scalar& end, int64_t steps, Tensor& result) {
  return linspace_out(linspace_bound(start, "start"), end, steps, result);
}

Tensor& linspace_out(const Scalar& start, const Tensor& end, int64_t steps, Tensor& result) {
  return linspace_out(start, linspace_bound(end, "end"), steps, result);
}

} // namespace at::native
