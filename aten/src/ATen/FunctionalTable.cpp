#include <ATen/FunctionalTable.h>

#include <mutex>
#include <string>
#include <unordered_map>

namespace at::functionalization {

namespace {

FunctionalTable* tables = nullptr; // those that are loaded

std::mutex& table_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

c10::OperatorName name_of(std::string_view text) {
  return torch::jit::parseName(text);
}

} // namespace

// The rows by operator, read at the first use after a library was loaded.
struct KnownOperators {
  std::unordered_map<const c10::OperatorEntry*, ViewOperators> views;
  std::unordered_map<const c10::OperatorEntry*, c10::OperatorHandle> variants;
  bool complete = false;

  static KnownOperators& get() {
    static auto* known = new KnownOperators;
    return *known;
  }

  void read() {
    if (complete) {
      return;
    }
    for (const FunctionalTable* table = tables; table != nullptr; table = table->next_) {
      read_views(table->views_);
      read_variants(table->mutations_);
    }
    complete = true;
  }

 private:
  void read_views(const ViewRow* row) {
    auto& dispatcher = c10::Dispatcher::singleton();
    for (; row->step != nullptr; ++row) {
      if (const auto view = dispatcher.findSchema(name_of(row->view))) {
        views.insert_or_assign(&view->entry(), ViewOperators{*view, row->step});
      }
    }
  }

  void read_variants(std::string_view lines) {
    auto& dispatcher = c10::Dispatcher::singleton();
    while (!lines.empty()) {
      const size_t end = lines.find('\n');
      const std::string_view line = lines.substr(0, end);
      const size_t space = line.find(' ');
      const auto writing = dispatcher.findSchema(name_of(line.substr(0, space)));
      const auto variant = dispatcher.findSchema(name_of(line.substr(space + 1)));
      if (writing && variant) {
        variants.insert_or_assign(&writing->entry(), *variant);
      }
      lines.remove_prefix(end + 1);
    }
  }
};

FunctionalTable::FunctionalTable(std::string_view mutations, const ViewRow* views)
    : mutations_(mutations), views_(views) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  next_ = tables;
  tables = this;
  KnownOperators::get().complete = false;
}

FunctionalTable::~FunctionalTable() {
  const std::lock_guard<std::mutex> lock(table_mutex());
  for (FunctionalTable** link = &tables; *link != nullptr; link = &(*link)->next_) {
    if (*link == this) {
      *link = next_;
      break;
    }
  }
}

const ViewOperators* find_view(const c10::OperatorEntry& entry) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  KnownOperators& known = KnownOperators::get();
  known.read();
  const auto found = known.views.find(&entry);
  return found == known.views.end() ? nullptr : &found->second;
}

std::optional<c10::OperatorHandle> find_functional(const c10::OperatorEntry& entry) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  KnownOperators& known = KnownOperators::get();
  known.read();
  const auto found = known.variants.find(&entry);
  return found == known.variants.end() ? std::nullopt
                                       : std::optional<c10::OperatorHandle>(found->second);
}

} // namespace at::functionalization
