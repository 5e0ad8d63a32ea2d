#include <ATen/core/ATenOpList.h>
#include <ATen/core/boxing/BoxedKernel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/dispatch/OperatorEntry.h>

namespace c10 {

void fallthrough_kernel() {
  TORCH_INTERNAL_ASSERT(false, "a fallthrough kernel marks a key to skip and is never called");
}

namespace detail {

constinit const KernelSlot empty_slots[num_runtime_entries] = {};

std::mutex& registration_mutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

Fallback& fallback_for(DispatchKey runtime_key) {
  static constinit Fallback fallbacks[num_runtime_entries] = {};
  return fallbacks[static_cast<uint16_t>(runtime_key)];
}

} // namespace detail

namespace {

// A generated operator without an autograd kernel is known not to need one. For an operator defined
// at run time this is unknown.
bool takes_fallback(const OperatorInfo& info, DispatchKey key) {
  const bool generated = info.schema != nullptr;
  return !(generated && autograd_dispatch_keyset.has(toFunctionalityKey(key)));
}

} // namespace

// ---- registrations

void OperatorEntry::add(KernelRow& row) {
  row.next = rows_;
  rows_ = &row;
  if (is_resolved()) {
    update(row.key);
  }
}

void OperatorEntry::remove(KernelRow& row) {
  for (KernelRow** link = &rows_; *link != nullptr; link = &(*link)->next) {
    if (*link == &row) {
      *link = row.next;
      row.next = nullptr;
      if (is_resolved()) {
        update(row.key);
      }
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
  if (is_resolved() && takes_fallback(info_, runtime_key)) {
    update_one(runtime_key);
  }
}

bool OperatorEntry::has_kernel_for(DispatchKey key) const {
  const std::lock_guard<std::mutex> lock(detail::registration_mutex());
  return static_cast<bool>(find(key));
}

bool OperatorEntry::has_kernel_for_any(DispatchKeySet keys) const {
  const std::lock_guard<std::mutex> lock(detail::registration_mutex());
  return has_any_row(keys);
}

bool OperatorEntry::has_computed_kernel_for(DispatchKey key) const {
  resolve();
  return !is_empty(key);
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

// The kernel that an alias key supplies. Explicit composites serve data. An implicit one also
// serves autograd, because it is differentiable through the operators it calls, but not where the
// back end has a kernel of its own, whose derivative belongs to autograd.
OperatorEntry::Choice OperatorEntry::choose_composite(DispatchKey key) const {
  const bool undefined = key == DispatchKey::Undefined;
  const auto serves = [&](DispatchKey alias) {
    return undefined || getRuntimeDispatchKeySet(alias).has(key);
  };
  const bool data = undefined || isBackendDispatchKey(key);
  if (data) {
    for (const DispatchKey alias :
         {DispatchKey::CompositeExplicitAutogradNonFunctional,
          DispatchKey::CompositeExplicitAutograd}) {
      if (Choice choice = find(alias); choice && serves(alias)) {
        return choice;
      }
    }
  }
  const bool autograd = autograd_dispatch_keyset.has(toFunctionalityKey(key));
  const bool explicit_kernel = autograd &&
      (find(DispatchKey::CompositeExplicitAutogradNonFunctional) ||
       find(DispatchKey::CompositeExplicitAutograd) ||
       has_any_row(getBackendKeySetFromAutograd(key)));
  if (!explicit_kernel) {
    for (const DispatchKey alias :
         {DispatchKey::CompositeImplicitAutogradNestedTensor,
          DispatchKey::CompositeImplicitAutograd}) {
      if (Choice choice = find(alias); choice && serves(alias)) {
        return choice;
      }
    }
  }
  if (autograd) {
    return find(DispatchKey::Autograd);
  }
  return serves(DispatchKey::FuncTorchBatchedDecomposition) && !undefined
      ? find(DispatchKey::FuncTorchBatchedDecomposition)
      : Choice();
}

bool OperatorEntry::has_any_row(DispatchKeySet keys) const {
  for (const KernelRow* row = rows_; row != nullptr; row = row->next) {
    if (keys.has(row->key)) {
      return true;
    }
  }
  return false;
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

// The kernel that choose() finds, or nothing for a key that calls skip.
OperatorEntry::Choice OperatorEntry::choose_callable(DispatchKey key) const {
  const Choice choice = choose(key);
  return choice.function == &fallthrough_kernel ? Choice() : choice;
}

void OperatorEntry::resolve() const {
  if (!is_resolved()) {
    const std::lock_guard<std::mutex> lock(detail::registration_mutex());
    fill_slots();
  }
}

// Calls may be under way in other threads. The callable keys come last: until then a call looks at
// the slot of its highest key only, and what it finds there is that key's kernel or nothing.
void OperatorEntry::fill_slots() const {
  if (is_resolved()) {
    return;
  }
  auto* slots = new KernelSlot[num_runtime_entries](); // the entry lives as long as the process
  DispatchKeySet callable = initial_keys;
  for (uint16_t place = 0; place < num_runtime_entries; ++place) {
    const auto key = static_cast<DispatchKey>(place);
    if (key != DispatchKey::Undefined && !isRuntimeDispatchKey(key)) {
      continue;
    }
    if (const Choice choice = choose_callable(key)) {
      store_slot(slots, key, choice);
      callable = callable | DispatchKeySet(toFunctionalityKey(key));
    }
  }
  slots_.store(slots, std::memory_order_release);
  callable_keys_.store(callable.raw_repr(), std::memory_order_release);
}

namespace {

// A back end's kernel, or an explicit composite, takes the implicit one away from autograd.
DispatchKeySet affected_by(DispatchKey registered) {
  const DispatchKeySet keys = getRuntimeDispatchKeySet(registered);
  if (isAliasDispatchKey(registered)) {
    return keys | autograd_dispatch_keyset;
  }
  if (isBackendDispatchKey(registered)) {
    return keys.add(getAutogradKeyFromBackend(toBackendComponent(registered)))
        .add(DispatchKey::AutogradOther);
  }
  return keys;
}

} // namespace

void OperatorEntry::update(DispatchKey registered_key) {
  const DispatchKeySet affected = affected_by(registered_key);
  for (uint64_t bits = affected.without_backends().raw_repr(); bits != 0; bits &= bits - 1) {
    const DispatchKeySet lowest(DispatchKeySet::RAW, bits & -bits);
    const DispatchKey functionality = lowest.highestFunctionalityKey();
    if (!isPerBackendFunctionalityKey(functionality)) {
      update_one(functionality);
      continue;
    }
    for (uint8_t backend = 1; backend <= num_backends; ++backend) {
      const auto component = static_cast<BackendComponent>(backend);
      if (affected.has_backend(component)) {
        update_one(toRuntimePerBackendFunctionalityKey(functionality, component));
      }
    }
  }
  if (isAliasDispatchKey(registered_key)) {
    update_one(DispatchKey::Undefined);
  }
}

// Calls may be under way: they find the old kernel or the new one, and pass over an empty slot.
void OperatorEntry::update_one(DispatchKey key) {
  const Choice choice = choose_callable(key);
  // Every entry has slots of its own once they are filled.
  store_slot(const_cast<KernelSlot*>(slots_.load(std::memory_order_relaxed)), key, choice);
  const DispatchKey functionality = toFunctionalityKey(key);
  if (initial_keys.has(functionality) || functionality == DispatchKey::Undefined) {
    return;
  }
  bool callable = static_cast<bool>(choice);
  for (uint8_t backend = 1; !callable && functionality != key && backend <= num_backends;
       ++backend) {
    const auto component = static_cast<BackendComponent>(backend);
    callable = !is_empty(toRuntimePerBackendFunctionalityKey(functionality, component));
  }
  const DispatchKeySet keys = callable_keys();
  callable_keys_.store(
      (callable ? keys.add(functionality) : keys.remove(functionality)).raw_repr(),
      std::memory_order_release);
}

void OperatorEntry::store_slot(KernelSlot* slots, DispatchKey key, Choice choice) const {
  const bool boxed_only = choice.function == nullptr && choice.boxed != nullptr;
  const KernelPtr slot =
      boxed_only && info_.boxing_trampoline ? info_.boxing_trampoline() : choice.function;
  set_boxed_slot(key, choice.boxed);
  slots[static_cast<uint16_t>(key)].store(slot, std::memory_order_release);
}

void OperatorEntry::set_boxed_slot(DispatchKey key, const BoxedKernel* boxed) const {
  const BoxedKernel** table = boxed_.load(std::memory_order_acquire);
  if (table == nullptr) {
    if (boxed == nullptr) {
      return;
    }
    table = new const BoxedKernel*[num_runtime_entries]();
    boxed_.store(table, std::memory_order_release); // the entry lives as long as the process
  }
  std::atomic_ref<const BoxedKernel*>(table[static_cast<uint16_t>(key)])
      .store(boxed, std::memory_order_release);
}

// ---- calls

DispatchKeySet OperatorEntry::skip_empty_slots(DispatchKeySet callable) const {
  resolve();
  callable = callable & callable_keys();
  while (is_empty(callable.highestPriorityTypeId())) {
    const DispatchKey functionality = callable.highestFunctionalityKey();
    if (functionality == DispatchKey::Undefined || initial_keys.has(functionality)) {
      throw_missing_kernel(callable);
    }
    callable = callable.remove(functionality);
  }
  return callable;
}

bool OperatorEntry::has_boxed(DispatchKeySet keys) const {
  const DispatchKeySet callable = skip_empty_slots(keys & callable_keys());
  const DispatchKey key = callable.highestPriorityTypeId();
  return slot(key) == nullptr && boxed(key) != nullptr;
}

void OperatorEntry::call_boxed(DispatchKeySet keys, torch::jit::Stack* stack) const {
  const DispatchKeySet callable = skip_empty_slots(keys & callable_keys());
  const DispatchKey key = callable.highestPriorityTypeId();
  if (const BoxedKernel* kernel = boxed(key)) {
    kernel->callBoxed(OperatorHandle(const_cast<OperatorEntry&>(*this)), callable, stack);
    return;
  }
  TORCH_INTERNAL_ASSERT(info_.call_boxed, "an unboxed kernel without a boxed form");
  info_.call_boxed(slot(key), callable, stack);
}

void OperatorEntry::throw_missing_kernel(DispatchKeySet keys) const {
  const DispatchKey key = (keys & callable_keys()).highestPriorityTypeId();
  const OperatorHandle handle(const_cast<OperatorEntry&>(*this));
  const std::string name = toString(handle.operator_name());
  if (key == DispatchKey::Undefined && at::selected_op_list().empty()) {
    TORCH_CHECK_NOT_IMPLEMENTED(
        false,
        "There were no tensor arguments to this function (e.g., you passed an empty list of "
        "Tensors), but no fallback function is registered for schema ",
        name,
        ".  This usually means that this function requires a non-empty list of Tensors, or that "
        "you (the operator writer) forgot to register a fallback function.");
  }
  std::string available;
  for (uint16_t i = 1; i < num_runtime_entries; ++i) {
    const auto each = static_cast<DispatchKey>(i);
    if (has_computed_kernel_for(each)) {
      available += (available.empty() ? "" : ", ");
      available += toString(each);
    }
  }
  if (available.empty() && !at::selected_op_list().empty() && at::is_aten_op(name)) {
    TORCH_CHECK_NOT_IMPLEMENTED(false, at::left_out_message(name));
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
