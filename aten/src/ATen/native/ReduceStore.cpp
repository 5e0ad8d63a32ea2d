#include <ATen/native/ReduceDriver.h>

#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

namespace at::native {
namespace {

template <class Out, class Acc, class Convert>
void store_as(const void* acc, int64_t count, void* out, int64_t step, const Convert& convert) {
  const Acc* from = static_cast<const Acc*>(acc);
  Out* to = static_cast<Out*>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i * step] = static_cast<Out>(convert(from[i]));
  }
}

template <class Acc, class Convert>
void store_floating(
    c10::ScalarType dtype, const void* acc, int64_t count, void* out, int64_t step,
    const Convert& convert) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return store_as<float, Acc>(acc, count, out, step, convert);
    case c10::ScalarType::Double:
      return store_as<double, Acc>(acc, count, out, step, convert);
    case c10::ScalarType::Half:
      return store_as<c10::Half, Acc>(
          acc, count, out, step, [&](Acc a) { return static_cast<float>(convert(a)); });
    case c10::ScalarType::BFloat16:
      return store_as<c10::BFloat16, Acc>(
          acc, count, out, step, [&](Acc a) { return static_cast<float>(convert(a)); });
    default:
      TORCH_INTERNAL_ASSERT(false, "unexpected dtype of a floating reduction");
  }
}

} // namespace

void store_real(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void*,
    int64_t) {
  if (sink.flag) {
    const double divisor = sink.param, factor = 1 / divisor;
    if (sink.dtype == c10::ScalarType::Double) {
      return store_as<double, double>(
          acc, count, out, step, [divisor](double a) { return a / divisor; });
    }
    // Narrower results do not show the rounding of the faster multiplication.
    store_floating<double>(
        sink.dtype, acc, count, out, step, [factor](double a) { return a * factor; });
  } else {
    store_floating<double>(sink.dtype, acc, count, out, step, [](double a) { return a; });
  }
}

void store_integer(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void*,
    int64_t) {
  const auto same = [](int64_t a) { return a; };
  switch (sink.dtype) {
    case c10::ScalarType::Bool:
      return store_as<bool, int64_t>(acc, count, out, step, [](int64_t a) { return a != 0; });
    case c10::ScalarType::Long:
    case c10::ScalarType::UInt64:
      return store_as<int64_t, int64_t>(acc, count, out, step, same);
    case c10::ScalarType::Int:
    case c10::ScalarType::UInt32:
      return store_as<int32_t, int64_t>(acc, count, out, step, same);
    case c10::ScalarType::Short:
    case c10::ScalarType::UInt16:
      return store_as<int16_t, int64_t>(acc, count, out, step, same);
    case c10::ScalarType::Char:
    case c10::ScalarType::Byte:
      return store_as<int8_t, int64_t>(acc, count, out, step, same);
    default:
      TORCH_INTERNAL_ASSERT(false, "unexpected dtype of an integer reduction");
  }
}

void store_complex(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void*,
    int64_t) {
  using Acc = c10::complex<double>;
  const double divisor = sink.flag ? sink.param : 1.0;
  const auto scale = [divisor](Acc a) { return Acc(a.real() / divisor, a.imag() / divisor); };
  if (sink.dtype == c10::ScalarType::ComplexFloat) {
    store_as<c10::complex<float>, Acc>(acc, count, out, step, scale);
  } else {
    store_as<Acc, Acc>(acc, count, out, step, scale);
  }
}

ReduceSink::Store arithmetic_store(c10::ScalarType dtype) {
  if (c10::isComplexType(dtype)) {
    return &store_complex;
  }
  return c10::isFloatingType(dtype) ? &store_real : &store_integer;
}

} // namespace at::native
