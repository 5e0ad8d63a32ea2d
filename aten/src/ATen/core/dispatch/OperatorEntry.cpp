#include <ATen/core/boxing/BoxedKernel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/OperatorEntry.h>

namespace c10 {

void fallthrough_kernel() {
  TORCH_INTERNAL_ASSERT(false, "a fallthrough kernel marks a key to skip and is never called");
}

namespace detail {

std::mutex& registration_mutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

Fallback& fallback_for(DispatchKey runtime_key) {
  static constinit Fallback fallbacks[kNumRuntimeKeys] = {};
  return fallbacks[static_cast<uint16_t>(runtime_key)];
}

} // namespace detail

namespace {

// A generated operator without an autograd kernel is known not to need one. For an operator defined
// at run time this is unknown.
bool takes_fallback(const OperatorInfo& info, DispatchKey key) {
  const bool generated = info.schema != nullptr;
  return !(generated && autograd_dispatch_keyset.has(key));
}

} // namespace

// ---- registrations

void OperatorEntry::add(KernelRow& row) {
  row.next = rows_;
  rows_ = &row;
  update(row.key);
}

void OperatorEntry::remove(KernelRow& row) {
  for (KernelRow** link = &rows_; *link != nullptr; link = &(*link)->next) {
    if (*link == &row) {
      *link = row.next;
      row.next = nullptr;
      update(row.key);
      return;
    }
  }
}

void OperatorEntry::move_rows_to(OperatorEntry& other) {
  KernelRow* oldest_first = nullptr;
  while (KernelRow* row = rows_) {
    rows_ = row->next;
    row->next = oldest_first;
    oldest_first = row;
  }
  while (KernelRow* row = oldest_first) {
    oldest_first = row->next;
    row->entry = &other;
    other.add(*row);
  }
}

void OperatorEntry::refresh(DispatchKey runtime_key) {
  if (takes_fallback(info_, runtime_key)) {
    update_one(runtime_key);
  }
}

bool OperatorEntry::has_kernel_for(DispatchKey key) const {
  const std::lock_guard<std::mutex> lock(detail::registration_mutex());
  return static_cast<bool>(find(key));
}

bool OperatorEntry::has_kernel_for_any(DispatchKeySet keys) const {
  const std::lock_guard<std::mutex> lock(detail::registration_mutex());
  for (const KernelRow* row = rows_; row != nullptr; row = row->next) {
    if (keys.has(row->key)) {
      return true;
    }
  }
  return false;
}

OperatorEntry::Choice OperatorEntry::find(DispatchKey key) const {
  for (const KernelRow* row = rows_; row != nullptr; row = row->next) {
    if (row->key == key) {
      return {row->function, row->boxed};
    }
  }
  return {};
}

// ---- resolving registrations to slots

namespace {

constexpr DispatchKey backend_of_autograd(DispatchKey key) {
  switch (key) {
    case DispatchKey::AutogradCPU:
      return DispatchKey::CPU;
    case DispatchKey::AutogradCUDA:
      return DispatchKey::CUDA;
    case DispatchKey::AutogradMeta:
      return DispatchKey::Meta;
    case DispatchKey::AutogradPrivateUse1:
      return DispatchKey::PrivateUse1;
    default:
      return DispatchKey::Undefined;
  }
}

} // namespace

// The kernel that an alias key supplies. Explicit composites apply to backends. Implicit ones also
// apply to autograd, because they are differentiable through the operators they call, unless the
// backend has its own kernel, whose derivative autograd must provide.
OperatorEntry::Choice OperatorEntry::choose_composite(DispatchKey key) const {
  const bool backend = isBackendDispatchKey(key) || key == DispatchKey::Undefined;
  if (backend) {
    if (Choice choice = find(DispatchKey::CompositeExplicitAutogradNonFunctional)) {
      return choice;
    }
    if (Choice choice = find(DispatchKey::CompositeExplicitAutograd)) {
      return choice;
    }
    return find(DispatchKey::CompositeImplicitAutograd);
  }
  if (!autograd_dispatch_keyset.has(key)) {
    return {};
  }
  const DispatchKey own = backend_of_autograd(key);
  const bool explicit_kernel = find(DispatchKey::CompositeExplicitAutogradNonFunctional) ||
      find(DispatchKey::CompositeExplicitAutograd) || (own != DispatchKey::Undefined && find(own));
  if (!explicit_kernel) {
    if (Choice choice = find(DispatchKey::CompositeImplicitAutograd)) {
      return choice;
    }
  }
  return find(DispatchKey::Autograd);
}

OperatorEntry::Choice OperatorEntry::choose(DispatchKey key) const {
  if (Choice choice = find(key)) {
    return choice;
  }
  if (Choice choice = choose_composite(key)) {
    return choice;
  }
  if (!takes_fallback(info_, key)) {
    return {};
  }
  const detail::Fallback& fallback = detail::fallback_for(key);
  return {fallback.function, fallback.boxed};
}

void OperatorEntry::update(DispatchKey registered_key) {
  if (!isAliasDispatchKey(registered_key) && !isBackendDispatchKey(registered_key)) {
    update_one(registered_key);
    return;
  }
  DispatchKeySet affected = getRuntimeDispatchKeySet(registered_key);
  // A backend's kernel or an explicit composite disables the implicit composite for autograd.
  affected = affected | autograd_dispatch_keyset;
  for (uint16_t i = 1; i < kNumRuntimeKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (affected.has(key)) {
      update_one(key);
    }
  }
  if (isAliasDispatchKey(registered_key)) {
    update_one(DispatchKey::Undefined);
  }
}

void OperatorEntry::update_one(DispatchKey key) {
  Choice choice = choose(key);
  const bool skipped = choice.function == &fallthrough_kernel;
  if (skipped) {
    choice = {};
  }
  const bool boxed_only = choice.function == nullptr && choice.boxed != nullptr;
  const KernelPtr slot =
      boxed_only && info_.boxing_trampoline ? info_.boxing_trampoline() : choice.function;
  // A backend without a kernel stays callable, so that the call fails there and does not go to
  // another backend.
  const bool callable = choice || (isBackendDispatchKey(key) && !skipped);
  const DispatchKeySet keys = callable_keys();
  // Other threads may be calling: disable a key before its slot is cleared, and enable it after its
  // slot is set.
  if (!callable) {
    callable_keys_.store(keys.remove(key).raw_repr(), std::memory_order_release);
  }
  set_boxed_slot(key, choice.boxed);
  slots_[static_cast<uint16_t>(key)].store(slot, std::memory_order_release);
  if (callable) {
    callable_keys_.store(keys.add(key).raw_repr(), std::memory_order_release);
  }
}

void OperatorEntry::set_boxed_slot(DispatchKey key, const BoxedKernel* boxed) {
  const BoxedKernel** table = boxed_.load(std::memory_order_acquire);
  if (table == nullptr) {
    if (boxed == nullptr) {
      return;
    }
    table = new const BoxedKernel*[kNumRuntimeKeys]();
    boxed_.store(table, std::memory_order_release); // the entry lives as long as the process
  }
  std::atomic_ref<const BoxedKernel*>(table[static_cast<uint16_t>(key)])
      .store(boxed, std::memory_order_release);
}

// ---- calls

void OperatorEntry::call_boxed(DispatchKeySet keys, torch::jit::Stack* stack) const {
  const DispatchKeySet callable = keys & callable_keys();
  const DispatchKey key = callable.highestPriorityTypeId();
  if (const BoxedKernel* kernel = boxed(key)) {
    kernel->callBoxed(OperatorHandle(const_cast<OperatorEntry&>(*this)), callable, stack);
    return;
  }
  const KernelPtr kernel = slot(key);
  if (kernel == nullptr) {
    throw_missing_kernel(keys);
  }
  TORCH_INTERNAL_ASSERT(info_.call_boxed, "an unboxed kernel without a boxed form");
  info_.call_boxed(kernel, callable, stack);
}

void OperatorEntry::throw_missing_kernel(DispatchKeySet keys) const {
  const DispatchKey key = (keys & callable_keys()).highestPriorityTypeId();
  const OperatorHandle handle(const_cast<OperatorEntry&>(*this));
  const std::string name = toString(handle.operator_name());
  if (key == DispatchKey::Undefined) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false,
        "There were no tensor arguments to this function (e.g., you passed an empty list of "
        "Tensors), but no fallback function is registered for schema ",
        name,
        ".  This usually means that this function requires a non-empty list of Tensors, or that "
        "you (the operator writer) forgot to register a fallback function.");
  }
  std::string available;
  for (uint16_t i = 1; i < kNumRuntimeKeys; ++i) {
    const auto each = static_cast<DispatchKey>(i);
    if (has_computed_kernel_for(each)) {
      available += (available.empty() ? "" : ", ");
      available += toString(each);
    }
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "Could not run '", name, "' with arguments from the '", toString(key),
      "' backend. This could be because the operator doesn't exist for this backend, or was "
      "omitted during the selective/custom build process (if using custom build). '",
      name, "' is only available for these backends: [", available, "].");
}

const FunctionSchema& OperatorEntry::schema() const {
  const FunctionSchema* parsed = schema_.load(std::memory_order_acquire);
  if (parsed == nullptr) {
    TORCH_CHECK(
        info_.schema, "Tried to access the schema for ", info_.name,
        " which doesn't have a schema registered yet");
    auto fresh = std::make_unique<FunctionSchema>(torch::jit::parseSchema(info_.schema));
    const std::string_view name = info_.name;
    fresh->setNamespaceIfNotSet(name.substr(0, name.find("::")));
    // If another thread was faster, keep its schema.
    if (schema_.compare_exchange_strong(parsed, fresh.get(), std::memory_order_acq_rel)) {
      parsed = fresh.release();
    }
  }
  return *parsed;
}

} // namespace c10
