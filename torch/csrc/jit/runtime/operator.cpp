#include <torch/csrc/jit/runtime/operator.h>

#include <mutex>
#include <unordered_map>

namespace torch::jit {

namespace {

using Operators = std::vector<std::shared_ptr<Operator>>;

// The generated operators. Those defined at run time may change, so the dispatcher is queried for
// them.
struct Registry {
  std::mutex mutex;
  const OperatorTable* tables = nullptr;
  const OperatorTable* read = nullptr; // this one and those after it are hashed
  std::unordered_map<std::string_view, Operators> by_name;
  std::unordered_map<std::string, std::shared_ptr<Operator>> by_signature;
};

// Never destroyed, because libraries may look up operators while the process ends.
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

// "aten::" from "aten::add", followed by the schema.
std::string signature(const c10::OperatorInfo& operator_info) {
  const std::string_view name(operator_info.name);
  return std::string(name.substr(0, name.rfind(':') + 1)) + operator_info.schema;
}

void read_tables(Registry& all) {
  for (const OperatorTable* table = all.tables; table != all.read; table = table->next()) {
    for (c10::OperatorEntry* entry : *table) {
      auto made = std::make_shared<Operator>(*entry);
      all.by_signature.emplace(signature(entry->info()), made);
      all.by_name[entry->info().name].push_back(std::move(made));
    }
  }
  all.read = all.tables;
}

} // namespace

OperatorTable::OperatorTable(c10::OperatorEntry* const* entries, size_t count)
    : entries_(entries), count_(count) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  next_ = all.tables;
  all.tables = this;
}

Operators getAllOperatorsFor(const std::string& name) {
  Operators found;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    read_tables(all);
    if (const auto known = all.by_name.find(name); known != all.by_name.end()) {
      found = known->second;
    }
  }
  for (const c10::OperatorHandle& handle :
       c10::Dispatcher::singleton().findRuntimeOverloads(name)) {
    found.push_back(std::make_shared<Operator>(handle.entry()));
  }
  return found;
}

std::shared_ptr<Operator> findOperatorFor(std::string_view signature) {
  const std::string wanted(signature);
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    read_tables(all);
    if (const auto known = all.by_signature.find(wanted); known != all.by_signature.end()) {
      return known->second;
    }
  }
  const std::string_view name = signature.substr(0, signature.find_first_of(".("));
  for (const c10::OperatorHandle& handle :
       c10::Dispatcher::singleton().findRuntimeOverloads(std::string(name))) {
    if (c10::toString(handle.schema()) == wanted) {
      return std::make_shared<Operator>(handle.entry());
    }
  }
  return nullptr;
}

Operators getAllOperators() {
  Operators found;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    read_tables(all);
    for (const auto& [name, overloads] : all.by_name) {
      found.insert(found.end(), overloads.begin(), overloads.end());
    }
  }
  for (const c10::OperatorHandle& handle : c10::Dispatcher::singleton().findRuntimeOverloads()) {
    found.push_back(std::make_shared<Operator>(handle.entry()));
  }
  return found;
}

} // namespace torch::jit
