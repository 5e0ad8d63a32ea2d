#include <ATen/native/AccumulateElements.h>

#include <ATen/Dispatch.h>
#include <ATen/native/ReduceOpsUtils.h>

#include <limits>
#include <type_traits>

namespace at::native {

DEFINE_DISPATCH(update_row_stub);

namespace {

// The elements of a row are distinct, so their order is free.
template <typename T, typename F>
struct UpdateElements {
  static constexpr bool writes_indexed = true;
  F update;
  update_row_fn by_vector = nullptr;

  void element(const T& plain, T& indexed) const { indexed = update(indexed, plain); }
  void row(const T* plain, T* indexed, int64_t count) const {
    if (by_vector != nullptr) {
      return by_vector(plain, indexed, count);
    }
    for (int64_t i = 0; i < count; ++i) {
      indexed[i] = update(indexed[i], plain[i]);
    }
  }
};

template <typename T, typename F>
void update_indexed(IndexedLoop& loop, F update, update_row_fn by_vector = nullptr) {
  run_indexed<T>(loop, UpdateElements<T, F>{update, by_vector});
}

template <typename T>
update_row_fn row_kernel(IndexedAction action) {
  return update_row_stub.on_host(action, c10::CppTypeToScalarType<T>::value);
}

template <typename T>
void add_typed(IndexedLoop& loop, T factor) {
  if constexpr (std::is_same_v<T, bool>) {
    update_indexed<bool>(loop, [factor](bool a, bool b) { return a || (b && factor); });
  } else if (c10::is_complex<T>::value && factor == T(1)) { // where infinity * 1 has a NaN
    update_indexed<T>(
        loop, [](T a, T b) { return static_cast<T>(a + b); }, row_kernel<T>(IndexedAction::Add));
  } else {
    update_indexed<T>(
        loop, [factor](T a, T b) { return static_cast<T>(a + static_cast<T>(b * factor)); },
        factor == T(1) ? row_kernel<T>(IndexedAction::Add) : nullptr);
  }
}

template <typename T>
void multiply_typed(IndexedLoop& loop) {
  if constexpr (std::is_same_v<T, bool>) {
    update_indexed<bool>(loop, [](bool a, bool b) { return a && b; });
  } else {
    update_indexed<T>(
        loop, [](T a, T b) { return static_cast<T>(a * b); },
        row_kernel<T>(IndexedAction::Multiply));
  }
}

template <typename T>
void extremum_typed(IndexedLoop& loop, bool greatest) {
  if (greatest) {
    update_indexed<T>(
        loop, [](T a, T b) { return greater_of(a, b); }, row_kernel<T>(IndexedAction::Maximum));
  } else {
    update_indexed<T>(
        loop, [](T a, T b) { return lesser_of(a, b); }, row_kernel<T>(IndexedAction::Minimum));
  }
}

} // namespace

void add_indexed(
    c10::DeviceType device, IndexedLoop& loop, ScalarType dtype, const Scalar& alpha,
    const char* name) {
  if (device != c10::DeviceType::CPU) {
    if (!indexed_stub(device, loop, IndexedAction::Add, dtype, alpha)) {
      unsupported_dtype(name, dtype);
    }
    return;
  }
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kBool, kHalf, kBFloat16, dtype, name, [&] { add_typed(loop, alpha.to<scalar_t>()); });
}

void multiply_indexed(
    c10::DeviceType device, IndexedLoop& loop, ScalarType dtype, const char* name) {
  if (device != c10::DeviceType::CPU) {
    if (!indexed_stub(device, loop, IndexedAction::Multiply, dtype, 1)) {
      unsupported_dtype(name, dtype);
    }
    return;
  }
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(
      kBool, kHalf, kBFloat16, dtype, name, [&] { multiply_typed<scalar_t>(loop); });
}

void extremum_indexed(
    c10::DeviceType device, IndexedLoop& loop, ScalarType dtype, bool greatest, const char* name) {
  if (device != c10::DeviceType::CPU) {
    const auto action = greatest ? IndexedAction::Maximum : IndexedAction::Minimum;
    if (c10::isComplexType(dtype) || !indexed_stub(device, loop, action, dtype, 1)) {
      unsupported_dtype(name, dtype);
    }
    return;
  }
  AT_DISPATCH_ALL_TYPES_AND3(
      kBool, kHalf, kBFloat16, dtype, name, [&] { extremum_typed<scalar_t>(loop, greatest); });
}

Scalar extreme_value(ScalarType dtype, bool least) {
  if (c10::isFloatingType(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return least ? -infinity : infinity;
  }
  if (dtype == kBool || dtype == kByte) {
    return least ? 0 : (dtype == kBool ? 1 : 255);
  }
  const int bits = static_cast<int>(8 * c10::elementSize(dtype)) - 1;
  const int64_t most = bits == 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  return least ? -most - 1 : most;
}

} // namespace at::native
