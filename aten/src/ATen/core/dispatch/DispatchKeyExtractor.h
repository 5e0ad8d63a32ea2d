#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/TensorBase.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <optional>
#include <type_traits>

namespace c10 {

namespace detail {

template <typename T>
constexpr bool is_tensor_v = std::is_base_of_v<at::TensorBase, T>;

// How an argument affects the choice of the kernel: tensors by their keys, devices only in calls
// without tensors, everything else not at all.
template <typename T>
struct KeyArgument {
  static constexpr bool tensor = is_tensor_v<T>;
  static constexpr bool device = false;
  static C10_ALWAYS_INLINE void add(DispatchKeySet& keys, const T& value) {
    if constexpr (tensor) {
      keys = keys | value.key_set();
    }
  }
};
template <typename T>
struct KeyArgument<std::optional<T>> {
  static constexpr bool tensor = is_tensor_v<T>;
  static constexpr bool device = std::is_same_v<T, Device>;
  static C10_ALWAYS_INLINE void add(DispatchKeySet& keys, const std::optional<T>& value) {
    if constexpr (tensor) {
      if (value.has_value()) {
        keys = keys | value->key_set();
      }
    } else if constexpr (device) {
      keys = keys | dispatch_key_set_of(value.has_value() ? value->type() : default_device_type);
    }
  }
};
template <>
struct KeyArgument<Device> {
  static constexpr bool tensor = false;
  static constexpr bool device = true;
  static void add(DispatchKeySet& keys, Device value) {
    keys = keys | dispatch_key_set_of(value.type());
  }
};
template <typename T>
struct KeyArgument<ArrayRef<T>> {
  static constexpr bool tensor = KeyArgument<T>::tensor;
  static constexpr bool device = false;
  static C10_ALWAYS_INLINE void add(DispatchKeySet& keys, const ArrayRef<T>& list) {
    if constexpr (tensor) {
      for (const T& element : list) {
        KeyArgument<T>::add(keys, element);
      }
    }
  }
};
template <typename T>
struct KeyArgument<List<T>> {
  static constexpr bool tensor = KeyArgument<T>::tensor;
  static constexpr bool device = false;
  static C10_ALWAYS_INLINE void add(DispatchKeySet& keys, const List<T>& list) {
    if constexpr (tensor) {
      for (const auto& element : list) {
        KeyArgument<T>::add(keys, element);
      }
    }
  }
};

} // namespace detail

// Applies this thread's included and excluded keys to those of a call. Those excluded name no back
// ends, so plain bits do.
C10_ALWAYS_INLINE DispatchKeySet apply_local_keys(DispatchKeySet keys) {
  const impl::PODLocalDispatchKeySet& local = impl::raw_local_dispatch_key_set;
  return {DispatchKeySet::RAW, (keys | local.included()).raw_repr() & ~local.excluded().raw_repr()};
}

// The keys of a call: those of its tensors, or of its device if the signature has no tensors.
template <typename... Args>
C10_ALWAYS_INLINE DispatchKeySet key_set_of(const Args&... args) {
  constexpr bool any_tensor = (false || ... || detail::KeyArgument<Args>::tensor);
  DispatchKeySet keys;
  [[maybe_unused]] auto add = [&keys]<typename T>(const T& value) __attribute__((always_inline)) {
    if constexpr (
        detail::KeyArgument<T>::tensor || (!any_tensor && detail::KeyArgument<T>::device)) {
      detail::KeyArgument<T>::add(keys, value);
    }
  };
  (add(args), ...);
  return apply_local_keys(keys);
}

C10_ALWAYS_INLINE DispatchKeySet factory_key_set(
    std::optional<ScalarType>, std::optional<Layout>, std::optional<Device> device,
    std::optional<bool>) {
  return key_set_of(device);
}

} // namespace c10
