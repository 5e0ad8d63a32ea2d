// Comparisons: inputs in their common dtype, result in bool.

#include <ATen/native/BinaryOps.h>
#include <ATen/native/Float8.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <typename Op>
void equality(TensorIteratorBase& iter, const char* name, bool negate, const Op& op) {
  const auto dtype = iter.common_dtype();
  if (c10::isComplexType(dtype)) {
    for_complex(dtype, name, [&]<typename T>(T) {
      cpu_kernel(iter, [negate](c10::complex<T> a, c10::complex<T> b) -> bool {
        return (widen(a) == widen(b)) != negate;
      });
    });
  } else if (c10::isFloat8Type(dtype)) {
    equality_float8(iter, negate);
  } else if (c10::isOpaqueType(dtype)) {
    at::detail::dispatch_unsupported(name, dtype);
  } else if (c10::isFloatingType(dtype)) {
    for_floating(dtype, name, [&]<typename T>(T) { vec_kernel<bool(T, T)>(iter, op); });
  } else {
    for_integer_width(dtype, [&]<typename T>(T) { vec_kernel<bool(T, T)>(iter, op); });
  }
}

void eq_kernel(TensorIteratorBase& iter) {
  equality(iter, "eq_cpu", false, [](auto a, auto b) { return vec::to_bool(a == b); });
}

void ne_kernel(TensorIteratorBase& iter) {
  equality(iter, "ne_cpu", true, [](auto a, auto b) { return vec::to_bool(a != b); });
}

// a > b is b < a, so the loops are compiled for one of the two and swap their inputs for the other.
template <typename Op>
void order(TensorIteratorBase& iter, const char* name, bool crosswise, const Op& op) {
  const auto dtype = iter.common_dtype();
  const auto run = [&]<typename T>(T) {
    using Loop = VecLoop<bool(T, T), Op>;
    iter.for_each_row([&](char** data, const int64_t* strides, int64_t n) {
      char* pointers[] = {data[0], data[crosswise ? 2 : 1], data[crosswise ? 1 : 2]};
      const int64_t steps[] = {strides[0], strides[crosswise ? 2 : 1], strides[crosswise ? 1 : 2]};
      Loop::run(op, pointers, steps, n, std::make_index_sequence<2>());
    });
    iter.cast_outputs();
  };
  if (c10::isFloatingType(dtype)) {
    for_floating(dtype, name, run);
  } else if (dtype == kBool) {
    run(uint8_t());
  } else {
    for_integer(dtype, name, run);
  }
}

constexpr auto less = [](auto a, auto b) { return vec::to_bool(a < b); };
constexpr auto less_equal = [](auto a, auto b) { return vec::to_bool(a <= b); };

void lt_kernel(TensorIteratorBase& iter) {
  order(iter, "lt_cpu", false, less);
}
void gt_kernel(TensorIteratorBase& iter) {
  order(iter, "gt_cpu", true, less);
}
void le_kernel(TensorIteratorBase& iter) {
  order(iter, "le_cpu", false, less_equal);
}
void ge_kernel(TensorIteratorBase& iter) {
  order(iter, "ge_cpu", true, less_equal);
}

} // namespace

REGISTER_DISPATCH(eq_stub, &eq_kernel)
REGISTER_DISPATCH(ne_stub, &ne_kernel)
REGISTER_DISPATCH(lt_stub, &lt_kernel)
REGISTER_DISPATCH(gt_stub, &gt_kernel)
REGISTER_DISPATCH(le_stub, &le_kernel)
REGISTER_DISPATCH(ge_stub, &ge_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
