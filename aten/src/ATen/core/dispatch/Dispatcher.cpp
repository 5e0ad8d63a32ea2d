#include <ATen/core/dispatch/Dispatcher.h>

#include <ATen/core/Tensor.h>

#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace c10 {

OperatorKernel::~OperatorKernel() = default;

namespace {

// An operator defined at run time. The entry outlives its definition, because handles and
// registrations may still refer to it; a new definition of the same name reuses it.
struct RuntimeOperator {
  explicit RuntimeOperator(const OperatorName& its_name)
      : name(its_name),
        entry(OperatorInfo{
            name.name.c_str(), name.overload_name.c_str(), nullptr, nullptr, nullptr}) {}

  OperatorName name;
  OperatorEntry entry;
};

// The kernel and row that a registration keeps alive.
struct OwnedRow {
  KernelFunction kernel;
  KernelRow row;
};

struct Registry {
  EntryTable* unread_tables = nullptr; // loaded, but the names are not hashed yet
  EntryTable* read_tables = nullptr;
  std::unordered_map<OperatorName, OperatorEntry*> entries;
  std::unordered_map<OperatorName, std::unique_ptr<RuntimeOperator>> runtime_operators;
  std::unordered_set<std::string> libraries;
  // Rows of all registrations, including undone ones: calls in other threads may still be using
  // them.
  std::deque<OwnedRow> rows;
  std::deque<KernelFunction> fallbacks;
};

// Never destroyed, because other libraries undo their registrations after this library's statics
// are destroyed.
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

using Lock = std::lock_guard<std::mutex>;

OperatorName name_of(const OperatorEntry& entry) {
  return {entry.info().name, entry.info().overload_name};
}

template <typename F>
void for_each_entry(F&& f) {
  for (EntryTable* list : {registry().unread_tables, registry().read_tables}) {
    for (EntryTable* table = list; table != nullptr; table = table->next()) {
      for (OperatorEntry* entry : *table) {
        f(*entry);
      }
    }
  }
  for (auto& [name, made] : registry().runtime_operators) {
    f(made->entry);
  }
}

} // namespace

// ---- tables of generated code

KernelTable::KernelTable(KernelRow* rows, size_t count) : rows_(rows), count_(count) {
  const Lock lock(detail::registration_mutex());
  for (size_t i = 0; i < count_; ++i) {
    rows_[i].entry->add(rows_[i]);
  }
}

KernelTable::~KernelTable() {
  const Lock lock(detail::registration_mutex());
  for (size_t i = 0; i < count_; ++i) {
    rows_[i].entry->remove(rows_[i]);
  }
}

EntryTable::EntryTable(OperatorEntry* const* entries, size_t count)
    : entries_(entries), count_(count) {
  const Lock lock(detail::registration_mutex());
  next_ = registry().unread_tables;
  registry().unread_tables = this;
  for (uint16_t i = 1; i < num_runtime_entries; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const detail::Fallback& fallback = detail::fallback_for(key);
    if (fallback.function || fallback.boxed) {
      for (OperatorEntry* entry : *this) {
        entry->refresh(key);
      }
    }
  }
}

EntryTable::~EntryTable() {
  const Lock lock(detail::registration_mutex());
  Registry& all = registry();
  for (EntryTable** list : {&all.unread_tables, &all.read_tables}) {
    for (EntryTable** link = list; *link != nullptr; link = &(*link)->next_) {
      if (*link == this) {
        *link = next_;
        break;
      }
    }
  }
  for (OperatorEntry* entry : *this) {
    all.entries.erase(name_of(*entry));
  }
}

// ---- names

Dispatcher& Dispatcher::singleton() {
  static Dispatcher dispatcher;
  return dispatcher;
}

OperatorEntry* Dispatcher::find(const OperatorName& name) {
  Registry& all = registry();
  while (EntryTable* table = all.unread_tables) {
    all.unread_tables = table->next_;
    table->next_ = all.read_tables;
    all.read_tables = table;
    for (OperatorEntry* entry : *table) {
      auto [slot, fresh] = all.entries.try_emplace(name_of(*entry), entry);
      if (!fresh && !slot->second->has_schema()) {
        // Kernels were registered before the table was loaded.
        slot->second->move_rows_to(*entry);
        slot->second = entry;
      }
    }
  }
  const auto found = all.entries.find(name);
  return found == all.entries.end() ? nullptr : found->second;
}

OperatorEntry& Dispatcher::find_or_make(const OperatorName& name) {
  if (OperatorEntry* entry = find(name)) {
    return *entry;
  }
  auto& made = registry().runtime_operators[name];
  made = std::make_unique<RuntimeOperator>(name);
  registry().entries.emplace(name, &made->entry);
  return made->entry;
}

std::optional<OperatorHandle> Dispatcher::findOp(const OperatorName& name) {
  const Lock lock(detail::registration_mutex());
  OperatorEntry* entry = find(name);
  return entry ? std::optional<OperatorHandle>(*entry) : std::nullopt;
}

std::optional<OperatorHandle> Dispatcher::findSchema(const OperatorName& name) {
  std::optional<OperatorHandle> handle = findOp(name);
  return handle && handle->hasSchema() ? handle : std::nullopt;
}

OperatorHandle Dispatcher::findSchemaOrThrow(const char* name, const char* overload_name) {
  const OperatorName wanted(name, overload_name);
  std::optional<OperatorHandle> handle = findOp(wanted);
  TORCH_CHECK(handle, "Could not find schema for ", toString(wanted));
  TORCH_CHECK(
      handle->hasSchema(), "Could not find schema for ", toString(wanted),
      " but we found an implementation; did you forget to def() the operator?");
  return *handle;
}

std::vector<OperatorName> Dispatcher::getAllOpNames() {
  const Lock lock(detail::registration_mutex());
  std::vector<OperatorName> names;
  for_each_entry([&](const OperatorEntry& entry) {
    if (entry.has_schema()) {
      names.push_back(name_of(entry));
    }
  });
  return names;
}

std::vector<OperatorHandle> Dispatcher::findRuntimeOverloads(std::string_view name) {
  const Lock lock(detail::registration_mutex());
  std::vector<OperatorHandle> overloads;
  for (auto& [known, made] : registry().runtime_operators) {
    if (made->entry.has_schema() && (name.empty() || name == known.name)) {
      overloads.emplace_back(made->entry);
    }
  }
  return overloads;
}

// ---- registrations at run time

RegistrationHandleRAII Dispatcher::registerDef(FunctionSchema schema, std::string debug) {
  const Lock lock(detail::registration_mutex());
  const OperatorName name = schema.operator_name();
  OperatorEntry& entry = find_or_make(name);
  TORCH_CHECK(
      !entry.has_schema(), "Tried to register an operator (", toString(schema),
      ") with the same name and overload name multiple times. Each overload's schema should only "
      "be "
      "registered with a single call to def(). Duplicate registration: ",
      debug);
  // References to a schema may outlive its definition.
  static auto* schemas = new std::deque<FunctionSchema>;
  entry.set_schema(&schemas->emplace_back(std::move(schema)));
  return RegistrationHandleRAII([&entry] {
    const Lock undo_lock(detail::registration_mutex());
    entry.set_schema(nullptr);
  });
}

namespace {

KernelPtr function_of(const KernelFunction& kernel) {
  return kernel.is_fallthrough ? &fallthrough_kernel : kernel.unboxed;
}
const BoxedKernel* boxed_of(const KernelFunction& kernel) {
  return kernel.boxed.isValid() ? &kernel.boxed : nullptr;
}

} // namespace

RegistrationHandleRAII Dispatcher::registerImpl(
    const OperatorName& name, std::optional<DispatchKey> key, KernelFunction kernel,
    std::string debug) {
  TORCH_CHECK(
      kernel.isValid(), "Tried to register an empty kernel for ", toString(name), " (", debug, ")");
  const Lock lock(detail::registration_mutex());
  OperatorEntry& entry = find_or_make(name);
  OwnedRow* owned = &registry().rows.emplace_back(OwnedRow{std::move(kernel), {}});
  owned->row = {
      &entry, key.value_or(DispatchKey::CompositeImplicitAutograd), function_of(owned->kernel),
      boxed_of(owned->kernel)};
  entry.add(owned->row);
  return RegistrationHandleRAII([owned] {
    const Lock undo_lock(detail::registration_mutex());
    owned->row.entry->remove(owned->row);
  });
}

RegistrationHandleRAII Dispatcher::registerFallback(
    DispatchKey key, KernelFunction kernel, std::string debug) {
  TORCH_CHECK(
      !isAliasDispatchKey(key), "a fallback needs a runtime key, and ", toString(key),
      " is an alias (", debug, ")");
  TORCH_CHECK(
      kernel.is_fallthrough || kernel.boxed.isValid(),
      "a fallback serves every signature, so it must be a boxed kernel (", debug, ")");
  const Lock lock(detail::registration_mutex());
  detail::Fallback& fallback = detail::fallback_for(key);
  TORCH_CHECK(
      !fallback.function && !fallback.boxed,
      "Tried to register multiple backend fallbacks for the same dispatch key ", toString(key),
      " (", debug, ")");
  const KernelFunction& owned = registry().fallbacks.emplace_back(std::move(kernel));
  fallback = {owned.is_fallthrough ? &fallthrough_kernel : nullptr, boxed_of(owned)};
  for_each_entry([key](OperatorEntry& entry) { entry.refresh(key); });
  return RegistrationHandleRAII([key] {
    const Lock undo_lock(detail::registration_mutex());
    detail::fallback_for(key) = {};
    for_each_entry([key](OperatorEntry& entry) { entry.refresh(key); });
  });
}

RegistrationHandleRAII Dispatcher::registerLibrary(std::string ns, std::string debug) {
  const Lock lock(detail::registration_mutex());
  TORCH_CHECK(
      registry().libraries.insert(ns).second,
      "Only a single TORCH_LIBRARY can be used to register the namespace ", ns,
      "; please put all of your definitions in a single TORCH_LIBRARY block.  If you were trying "
      "to specify implementations, consider using TORCH_LIBRARY_IMPL (which can be duplicated).  "
      "If "
      "you really intended to define operators for a single namespace in a distributed way, you "
      "can "
      "use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Duplicate registration: ",
      debug);
  return RegistrationHandleRAII([ns = std::move(ns)] {
    const Lock undo_lock(detail::registration_mutex());
    registry().libraries.erase(ns);
  });
}

bool Dispatcher::hasFallbackForKey(DispatchKey key) const {
  const detail::Fallback& fallback = detail::fallback_for(key);
  return fallback.function || fallback.boxed;
}

// ---- boxed calls

OperatorName OperatorHandle::operator_name() const {
  return name_of(*entry_);
}

void OperatorHandle::callBoxed(torch::jit::Stack* stack) const {
  entry_->call_boxed(key_set_of_stack(schema(), *stack), stack);
}

void OperatorHandle::redispatchBoxed(DispatchKeySet keys, torch::jit::Stack* stack) const {
  entry_->call_boxed(keys, stack);
}

namespace {

bool mentions_tensor(const SchemaType& type) {
  return type.kind == TypeKind::Tensor || (type.element && mentions_tensor(*type.element));
}
bool is_device(const SchemaType& type) {
  return type.kind == TypeKind::Device || (type.is_optional() && is_device(*type.element));
}

DispatchKeySet keys_of_value(const IValue& value) {
  DispatchKeySet keys;
  if (value.isTensor()) {
    keys = value.toTensor().key_set();
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorList()) {
      keys = keys | tensor.key_set();
    }
  } else if (value.isGenericList()) {
    for (const IValue& element : value.toGenericList()) {
      keys = keys | keys_of_value(element);
    }
  }
  return keys;
}

} // namespace

DispatchKeySet key_set_of_stack(const FunctionSchema& schema, const torch::jit::Stack& stack) {
  const auto& arguments = schema.arguments();
  TORCH_CHECK(
      stack.size() >= arguments.size(), schema.name(), ": expected ", arguments.size(),
      " arguments on the stack but got ", stack.size());
  const IValue* values = stack.data() + (stack.size() - arguments.size());
  DispatchKeySet keys;
  bool any_tensor = false;
  const IValue* device = nullptr;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (mentions_tensor(arguments[i].type)) {
      any_tensor = true;
      keys = keys | keys_of_value(values[i]);
    } else if (is_device(arguments[i].type)) {
      device = &values[i];
    }
  }
  if (!any_tensor && device) {
    keys = keys |
        dispatch_key_set_of(device->isNone() ? default_device_type : device->toDevice().type());
  }
  return apply_local_keys(keys);
}

} // namespace c10
