#pragma once

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatch.h>
#include <ATen/core/dispatch/KernelTable.h>
#include <ATen/core/dispatch/RegistrationHandleRAII.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/operator_name.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace c10 {

class Dispatcher;
namespace impl {
template <typename Signature>
struct boxing;
}
template <typename Signature>
class TypedOperatorHandle;

// A reference to a registered operator; cheap to copy, valid while the operator is registered.
class TORCH_API OperatorHandle {
 public:
  explicit OperatorHandle(OperatorEntry& entry) : entry_(&entry) {}

  OperatorName operator_name() const;
  const FunctionSchema& schema() const { return entry_->schema(); }
  bool hasSchema() const { return entry_->has_schema(); }
  OperatorEntry& entry() const { return *entry_; }
  bool hasKernelForDispatchKey(DispatchKey key) const { return entry_->has_kernel_for(key); }
  bool hasKernelForAnyDispatchKey(DispatchKeySet keys) const {
    return entry_->has_kernel_for_any(keys);
  }
  bool hasComputedKernelForDispatchKey(DispatchKey key) const {
    return entry_->has_computed_kernel_for(key);
  }

  void callBoxed(torch::jit::Stack* stack) const;
  void callBoxed(torch::jit::Stack& stack) const { callBoxed(&stack); }
  void redispatchBoxed(DispatchKeySet keys, torch::jit::Stack* stack) const;

  template <typename Signature>
  TypedOperatorHandle<Signature> typed() const {
    return TypedOperatorHandle<Signature>(*entry_);
  }

  bool operator==(const OperatorHandle& other) const { return entry_ == other.entry_; }

 protected:
  OperatorEntry* entry_;
};

template <typename Ret, typename... Args>
class TypedOperatorHandle<Ret(Args...)> final : public OperatorHandle {
 public:
  explicit TypedOperatorHandle(OperatorEntry& entry) : OperatorHandle(entry) {}

  Ret call(Args... args) const {
    return redispatch(
        key_set_of<std::remove_cvref_t<Args>...>(args...), std::forward<Args>(args)...);
  }
  Ret redispatch(DispatchKeySet keys, Args... args) const {
    const uint16_t place = (keys & entry_->callable_keys()).getDispatchTableIndex();
    if (C10_UNLIKELY(entry_->slot(place) == nullptr && entry_->has_boxed(keys))) {
      return impl::boxing<Ret(Args...)>::box(*entry_, keys, std::forward<Args>(args)...);
    }
    return c10::dispatch<Ret(Args...)>(*entry_, keys, std::forward<Args>(args)...);
  }
};

// The registry of operators by name. Calls do not go through it.
class TORCH_API Dispatcher final {
 public:
  static Dispatcher& singleton();
  static Dispatcher& realSingleton() { return singleton(); }

  std::optional<OperatorHandle> findOp(const OperatorName& name);
  std::optional<OperatorHandle> findSchema(const OperatorName& name);
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload_name);
  std::vector<OperatorName> getAllOpNames();
  // Operators defined at run time, not by generated code: those with one name, or all.
  std::vector<OperatorHandle> findRuntimeOverloads(std::string_view name = {});

  RegistrationHandleRAII registerDef(FunctionSchema schema, std::string debug);
  RegistrationHandleRAII registerImpl(
      const OperatorName& name, std::optional<DispatchKey> key, KernelFunction kernel,
      std::string debug);
  RegistrationHandleRAII registerFallback(
      DispatchKey key, KernelFunction kernel, std::string debug);
  RegistrationHandleRAII registerLibrary(std::string ns, std::string debug);
  bool hasFallbackForKey(DispatchKey key) const;

 private:
  Dispatcher() = default;
  OperatorEntry* find(const OperatorName& name);
  OperatorEntry& find_or_make(const OperatorName& name);
};

// The keys of a boxed call, taken from the operator's arguments on top of the stack.
TORCH_API DispatchKeySet
key_set_of_stack(const FunctionSchema& schema, const torch::jit::Stack& stack);

} // namespace c10

#include <ATen/core/boxing/boxing.h>
