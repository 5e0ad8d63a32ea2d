#pragma once

#include <ATen/core/dispatch/OperatorInfo.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/macros/Macros.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace c10 {

struct FunctionSchema;
class OperatorEntry;
struct BoxedKernel;
struct OperatorName;

// One registration. Generated registrations are static, and the entry links them through `next`, so
// applying thousands of them at load time allocates nothing. The newest registration of a key wins.
struct KernelRow {
  OperatorEntry* entry;
  DispatchKey key;
  KernelPtr function;
  const BoxedKernel* boxed = nullptr;
  KernelRow* next = nullptr;
};

// Registered as `function`, this makes calls skip the key.
TORCH_API void fallthrough_kernel();

using KernelSlot = std::atomic<KernelPtr>;

namespace detail {
// The slots of every entry that has not been called yet.
TORCH_API extern const KernelSlot empty_slots[num_runtime_entries];
} // namespace detail

// An operator: its properties and a slot for each runtime key. Constant-initialized, so generated
// code can refer to it by address from program start. Its first call allocates the slots, since a
// process calls few of the operators that it loads.
class TORCH_API OperatorEntry {
 public:
  constexpr explicit OperatorEntry(const OperatorInfo& info) : info_(info) {}
  OperatorEntry(const OperatorEntry&) = delete;
  OperatorEntry& operator=(const OperatorEntry&) = delete;

  const OperatorInfo& info() const { return info_; }

  // ---- the call path
  KernelPtr slot(uint16_t place) const {
    return slots_.load(std::memory_order_acquire)[place].load(std::memory_order_relaxed);
  }
  KernelPtr slot(DispatchKey key) const { return slot(static_cast<uint16_t>(key)); }
  // Functionalities that have something to call on one back end at least, and all back ends. Others
  // fall through. Before the slots are filled, all keys.
  DispatchKeySet callable_keys() const {
    return {DispatchKeySet::RAW, callable_keys_.load(std::memory_order_relaxed)};
  }
  // A call's callable keys without those above the first that has a kernel on the call's back end;
  // raises when a back end has none. Only an operator's first call and operators whose kernels
  // differ between back ends get here.
  C10_COLD DispatchKeySet skip_empty_slots(DispatchKeySet callable) const;
  // Whether the kernel that a call with these keys runs is a boxed one.
  C10_COLD bool has_boxed(DispatchKeySet keys) const;
  const BoxedKernel* boxed(DispatchKey key) const {
    const BoxedKernel* const* table = boxed_.load(std::memory_order_acquire);
    return table ? table[static_cast<uint16_t>(key)] : nullptr;
  }
  // Runs the kernel of the highest key on the stack, whether it is boxed or not.
  void call_boxed(DispatchKeySet keys, torch::jit::Stack* stack) const;
  [[noreturn]] void throw_missing_kernel(DispatchKeySet keys) const;

  // ---- registration; the caller holds registration_mutex()
  void add(KernelRow& row);
  void remove(KernelRow& row);
  // Recomputes the slot after a backend fallback has changed.
  void refresh(DispatchKey runtime_key);
  // Fills the slots from the registrations, if nothing has done so yet.
  void resolve() const;
  // Moves all registrations to another entry of the same operator.
  void move_rows_to(OperatorEntry& other);

  // Whether the key has its own kernel, as opposed to one from an alias or a fallback.
  bool has_kernel_for(DispatchKey key) const;
  bool has_kernel_for_any(DispatchKeySet keys) const;
  bool has_computed_kernel_for(DispatchKey key) const;

  // Parsed on first use.
  const FunctionSchema& schema() const;
  bool has_schema() const {
    return info_.schema != nullptr || schema_.load(std::memory_order_relaxed) != nullptr;
  }

  // For operators defined at run time.
  void set_schema(const FunctionSchema* schema) {
    schema_.store(schema, std::memory_order_release);
  }

 private:
  // A back end without a kernel stays callable: the call must fail there, not go to another one.
  static constexpr DispatchKeySet initial_keys =
      backend_dispatch_keyset | DispatchKeySet(DispatchKey::NestedTensor);
  // The callable keys of an entry whose slots are not filled: every slot is empty until its first
  // call, and a call that finds an empty slot takes the slow path.
  static constexpr DispatchKeySet unresolved_keys{DispatchKeySet::RAW, ~uint64_t{0}};
  static_assert(unresolved_keys.raw_repr() != DispatchKeySet(DispatchKeySet::FULL).raw_repr());

  struct Choice {
    KernelPtr function = nullptr;
    const BoxedKernel* boxed = nullptr;
    explicit operator bool() const { return function != nullptr || boxed != nullptr; }
  };
  Choice find(DispatchKey key) const;
  bool has_any_row(DispatchKeySet keys) const;
  Choice choose(DispatchKey runtime_key) const;
  Choice choose_callable(DispatchKey runtime_key) const;
  Choice choose_composite(DispatchKey runtime_key) const;
  bool is_resolved() const {
    return callable_keys_.load(std::memory_order_acquire) != unresolved_keys.raw_repr();
  }
  void fill_slots() const;
  void update(DispatchKey registered_key);
  void update_one(DispatchKey runtime_key);
  void store_slot(KernelSlot* slots, DispatchKey runtime_key, Choice choice) const;
  bool is_empty(DispatchKey runtime_key) const {
    return slot(runtime_key) == nullptr && boxed(runtime_key) == nullptr;
  }
  void set_boxed_slot(DispatchKey key, const BoxedKernel* boxed) const;

  mutable std::atomic<uint64_t> callable_keys_{unresolved_keys.raw_repr()};
  mutable std::atomic<const KernelSlot*> slots_{detail::empty_slots};
  mutable std::atomic<const BoxedKernel**> boxed_{nullptr};
  OperatorInfo info_;
  KernelRow* rows_ = nullptr;
  mutable std::atomic<const FunctionSchema*> schema_{nullptr};
};

namespace detail {

// Guards all registrations; never destroyed.
TORCH_API std::mutex& registration_mutex();

// The kernel that runs for a key when an operator has none for it.
struct Fallback {
  KernelPtr function = nullptr;
  const BoxedKernel* boxed = nullptr;
};
TORCH_API Fallback& fallback_for(DispatchKey runtime_key);

} // namespace detail

} // namespace c10
