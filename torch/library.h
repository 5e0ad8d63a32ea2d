#pragma once

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/boxing/boxing.h>
#include <ATen/core/boxing/infer_schema.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Registers operators and kernels from C++:
//   TORCH_LIBRARY(myops, m) {
//     m.def("scale(Tensor x, float by) -> Tensor");
//     m.impl("scale", c10::DispatchKey::CPU, &scale_cpu);
//   }
//   TORCH_LIBRARY_IMPL(aten, CPU, m) { m.impl("add.Tensor", &my_add); }

namespace torch {

class Library;

namespace detail {

// A callable stored as the state of a kernel: a function pointer or a lambda.
template <typename Callable>
struct CallableKernel final : c10::OperatorKernel {
  explicit CallableKernel(Callable callable) : callable_(std::move(callable)) {}
  Callable callable_;
};

template <typename T>
struct call_signature : call_signature<decltype(&T::operator())> {};
template <typename R, typename... A>
struct call_signature<R (*)(A...)> {
  using type = R(A...);
};
template <typename R, typename T, typename... A>
struct call_signature<R (T::*)(A...) const> {
  using type = R(A...);
};
template <typename R, typename T, typename... A>
struct call_signature<R (T::*)(A...)> {
  using type = R(A...);
};

// A kernel receives the dispatch key set if that is its first parameter.
template <typename Signature>
struct without_keys {
  using type = Signature;
  static constexpr bool takes_keys = false;
};
template <typename R, typename... A>
struct without_keys<R(c10::DispatchKeySet, A...)> {
  using type = R(A...);
  static constexpr bool takes_keys = true;
};

// The kernel of a stateless callable as a plain function, for the fast path.
template <typename Callable, typename Signature>
struct stateless_kernel;
template <typename Callable, typename R, typename... A>
struct stateless_kernel<Callable, R(A...)> {
  static R run(c10::DispatchKeySet, A... args) { return Callable{}(std::forward<A>(args)...); }
};

template <typename Callable>
c10::KernelFunction make_kernel(Callable callable) {
  using Full = typename call_signature<Callable>::type;
  using Signature = typename without_keys<Full>::type;
  c10::KernelFunction kernel;
  if constexpr (
      !without_keys<Full>::takes_keys && std::is_empty_v<Callable> &&
      std::is_default_constructible_v<Callable>) {
    kernel.unboxed = reinterpret_cast<c10::KernelPtr>(&stateless_kernel<Callable, Signature>::run);
  }
  kernel.boxed.functor = c10::make_intrusive<CallableKernel<Callable>>(std::move(callable));
  kernel.boxed.function = [](c10::OperatorKernel* self, const c10::OperatorHandle&,
                             c10::DispatchKeySet keys, jit::Stack* stack) {
    auto& held = static_cast<CallableKernel<Callable>*>(self)->callable_;
    if constexpr (without_keys<Full>::takes_keys) {
      auto bound = [&](auto&&... args) -> decltype(auto) {
        return held(keys, std::forward<decltype(args)>(args)...);
      };
      c10::impl::boxing<Signature>::call(bound, stack);
    } else {
      (void)keys;
      c10::impl::boxing<Signature>::call(held, stack);
    }
  };
  return kernel;
}

// TORCH_FN(f): wraps a function in a type, so that the kernel needs no state.
template <auto function>
struct CompileTimeFunction {
  template <typename... Args>
  decltype(auto) operator()(Args&&... args) const {
    return function(std::forward<Args>(args)...);
  }
};
template <auto function>
struct call_signature<CompileTimeFunction<function>> : call_signature<decltype(function)> {};

} // namespace detail

#define TORCH_FN(function) \
  ::torch::detail::CompileTimeFunction<&function> {}

// Anything that can be registered as a kernel, with its key (all keys if none is set).
class TORCH_API CppFunction final {
 public:
  template <typename Function>
  requires(!std::is_same_v<std::decay_t<Function>, CppFunction>) CppFunction(Function&& function)
      : kernel_(detail::make_kernel(std::decay_t<Function>(std::forward<Function>(function)))),
        schema_(c10::impl::infer_schema<typename detail::without_keys<
                    typename detail::call_signature<std::decay_t<Function>>::type>::type>) {}

  static CppFunction makeFallthrough() {
    return CppFunction(c10::KernelFunction::makeFallthrough());
  }
  template <auto function>
  static CppFunction makeFromBoxedFunction() {
    return makeFromBoxedKernel(c10::BoxedKernel::makeFromFunction<function>());
  }
  static CppFunction makeFromBoxedKernel(c10::BoxedKernel boxed) {
    c10::KernelFunction kernel;
    kernel.boxed = std::move(boxed);
    return CppFunction(std::move(kernel));
  }

  const c10::KernelFunction& kernel() const { return kernel_; }
  std::optional<c10::DispatchKey> dispatch_key() const { return key_; }
  void set_dispatch_key(c10::DispatchKey key) { key_ = key; }
  bool has_signature() const { return schema_ != nullptr; }
  // The schema inferred from the function's C++ type: "(Tensor _0, int _1) -> Tensor".
  std::string inferred_schema() const;

 private:
  explicit CppFunction(c10::KernelFunction kernel) : kernel_(std::move(kernel)) {}

  c10::KernelFunction kernel_;
  std::string (*schema_)() = nullptr;
  std::optional<c10::DispatchKey> key_;
};

// torch::dispatch(c10::DispatchKey::CPU, &f), torch::dispatch("CPU", &f)
template <typename Function>
inline CppFunction dispatch(c10::DispatchKey key, Function&& function) {
  CppFunction result(std::forward<Function>(function));
  result.set_dispatch_key(key);
  return result;
}
TORCH_API c10::DispatchKey parse_dispatch_key(std::string_view name);
template <typename Function>
inline CppFunction dispatch(const char* key, Function&& function) {
  return dispatch(parse_dispatch_key(key), std::forward<Function>(function));
}

// The registrations of a TORCH_LIBRARY block; its destructor undoes them all.
class TORCH_API Library final {
 public:
  enum Kind { DEF, IMPL, FRAGMENT };

  Library(
      Kind kind, std::string ns, std::optional<c10::DispatchKey> key, const char* file,
      uint32_t line);
  Library(Library&&) = default;
  ~Library();

  // Declares an operator by its schema; impl() adds kernels.
  Library& def(std::string_view schema) &;
  // Declares an operator and a kernel for all backends; for a bare name the schema is inferred from
  // the function's C++ type.
  Library& def(std::string_view name_or_schema, CppFunction function) &;
  // Adds a kernel to a declared operator, for the function's key or the block's.
  Library& impl(std::string_view name, CppFunction function) &;
  template <typename Function>
  Library& impl(std::string_view name, c10::DispatchKey key, Function&& function) & {
    return impl(name, dispatch(key, std::forward<Function>(function)));
  }
  // Sets the fallback kernel of the block's key, for all operators without their own.
  Library& fallback(CppFunction function) &;

 private:
  c10::OperatorName qualified(c10::OperatorName name) const;
  std::string origin() const;

  Kind kind_;
  std::string ns_;
  std::optional<c10::DispatchKey> key_;
  const char* file_;
  uint32_t line_;
  std::vector<c10::RegistrationHandleRAII> registrations_;
};

namespace detail {

class TORCH_API TorchLibraryInit final {
 public:
  using Function = void (*)(Library&);
  TorchLibraryInit(
      Library::Kind kind, Function function, const char* ns, std::optional<c10::DispatchKey> key,
      const char* file, uint32_t line);

 private:
  Library library_;
};

} // namespace detail
} // namespace torch

#define TORCH_LIBRARY_BLOCK_(kind, name, ns, key, m)                           \
  static void name(::torch::Library&);                                         \
  static const ::torch::detail::TorchLibraryInit C10_CONCATENATE(name, _init)( \
      ::torch::Library::kind, &name, #ns, key, __FILE__, __LINE__);            \
  void name(::torch::Library& m)

#define TORCH_LIBRARY(ns, m) TORCH_LIBRARY_BLOCK_(DEF, TORCH_LIBRARY_##ns, ns, std::nullopt, m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY_FRAGMENT_(ns, m, C10_UID)
#define TORCH_LIBRARY_FRAGMENT_(ns, m, uid) \
  TORCH_LIBRARY_BLOCK_(                     \
      FRAGMENT, C10_CONCATENATE(TORCH_LIBRARY_FRAGMENT_##ns##_, uid), ns, std::nullopt, m)
#define TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY_IMPL_(ns, key, m, C10_UID)
#define TORCH_LIBRARY_IMPL_(ns, key, m, uid)                              \
  TORCH_LIBRARY_BLOCK_(                                                   \
      IMPL, C10_CONCATENATE(TORCH_LIBRARY_IMPL_##ns##_##key##_, uid), ns, \
      std::make_optional(::c10::DispatchKey::key), m)
