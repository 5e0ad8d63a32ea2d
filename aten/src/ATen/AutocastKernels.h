#pragma once

#include <ATen/autocast_mode.h>
#include <ATen/core/List.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <c10/core/Scalar.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

// The kernels of autocast keys, made from an operator and a policy. Internal to the files that list
// the operators.
namespace at::autocast {

enum class CastPolicy {
  LowerPrecision, // cast to the dtype of the region
  Float32,        // cast to float32
  Float32Result,  // set the argument dtype= to float32 unless it is given; the kernel then casts
  Widest,         // cast to the widest dtype among the arguments
};

// Excludes the key of a running autocast kernel from the calls it makes.
class BelowAutocast {
 public:
  explicit BelowAutocast(c10::DispatchKeySet keys)
      : type(
            keys.highestPriorityTypeId() == DispatchKey::AutocastCUDA ? DeviceType::CUDA
                                                                      : DeviceType::CPU),
        guard_(DispatchKeySet(keys.highestPriorityTypeId())) {}

  const DeviceType type;

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

// ---- one argument: tensors are cast, everything else is passed on

inline Tensor cast_argument(ScalarType dtype, const Tensor& tensor, DeviceType type) {
  return cached_cast(dtype, tensor, type);
}
inline std::optional<Tensor> cast_argument(
    ScalarType dtype, const std::optional<Tensor>& tensor, DeviceType type) {
  return tensor ? std::optional(cached_cast(dtype, *tensor, type)) : std::nullopt;
}
inline std::vector<Tensor> cast_argument(ScalarType dtype, TensorList tensors, DeviceType type) {
  return cached_cast(dtype, tensors, type);
}
template <typename T>
const T& cast_argument(ScalarType, const T& value, DeviceType) {
  return value;
}

inline ScalarType widest_with(ScalarType widest, const Tensor& tensor, DeviceType type) {
  return prioritize(widest, tensor, type);
}
inline ScalarType widest_with(
    ScalarType widest, const std::optional<Tensor>& tensor, DeviceType type) {
  return tensor ? prioritize(widest, *tensor, type) : widest;
}
inline ScalarType widest_with(ScalarType widest, TensorList tensors, DeviceType type) {
  for (const Tensor& tensor : tensors) {
    widest = prioritize(widest, tensor, type);
  }
  return widest;
}
template <typename T>
ScalarType widest_with(ScalarType widest, const T&, DeviceType) {
  return widest;
}

inline std::optional<ScalarType> or_float32(const std::optional<ScalarType>& dtype) {
  return dtype.value_or(ScalarType::Float);
}
template <typename T>
const T& or_float32(const T& value) {
  return value;
}

// ---- one operator

template <CastPolicy policy, typename Op, typename Signature = typename Op::schema>
struct AutocastKernel;

template <CastPolicy policy, typename Op, typename Ret, typename First, typename... Rest>
struct AutocastKernel<policy, Op, Ret(First, Rest...)> {
  static Ret run(c10::DispatchKeySet keys, First first, Rest... rest) {
    const BelowAutocast region(keys);
    const DeviceType type = region.type;
    if constexpr (policy == CastPolicy::Float32Result) {
      return is_eligible(first, type) ? Op::call(first, or_float32(rest)...)
                                      : Op::call(first, std::forward<Rest>(rest)...);
    } else {
      ScalarType dtype =
          policy == CastPolicy::Float32 ? ScalarType::Float : get_autocast_dtype(type);
      if constexpr (policy == CastPolicy::Widest) {
        dtype = widest_with(dtype, first, type);
        ((dtype = widest_with(dtype, rest, type)), ...);
      }
      return Op::call(cast_argument(dtype, first, type), cast_argument(dtype, rest, type)...);
    }
  }
};

template <CastPolicy policy, typename Op>
c10::KernelPtr autocast_kernel() {
  return reinterpret_cast<c10::KernelPtr>(&AutocastKernel<policy, Op>::run);
}

#define AT_AUTOCAST_ROW(policy, op) \
  { &at::_ops::op::entry, kAutocastKey, at::autocast::autocast_kernel<policy, at::_ops::op>() }

} // namespace at::autocast
