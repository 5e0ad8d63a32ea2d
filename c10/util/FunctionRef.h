#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace c10 {

// A non-owning reference to a callable, two words in size. The callable must outlive it.
template <typename Signature>
class function_ref;

template <typename Ret, typename... Params>
class function_ref<Ret(Params...)> {
  Ret (*callback_)(void* callable, Params... params) = nullptr;
  void* callable_ = nullptr;

  template <typename Callable>
  static Ret call(void* callable, Params... params) {
    return (*static_cast<Callable*>(callable))(std::forward<Params>(params)...);
  }

 public:
  function_ref() = default;
  function_ref(std::nullptr_t) {}

  template <typename Callable>
  requires(
      !std::is_same_v<std::remove_cvref_t<Callable>, function_ref> &&
      std::is_invocable_r_v<Ret, Callable&, Params...>) function_ref(Callable&& callable)
      : callback_(call<std::remove_reference_t<Callable>>),
        callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))) {}

  Ret operator()(Params... params) const {
    return callback_(callable_, std::forward<Params>(params)...);
  }

  explicit operator bool() const { return callback_ != nullptr; }
};

} // namespace c10
