#include <torch/library.h>

#include <ATen/core/signature_check.h>

namespace torch {

std::string CppFunction::inferred_schema() const {
  TORCH_CHECK(
      schema_ != nullptr,
      "a boxed function or a fallthrough has no C++ signature: give def() a full schema");
  return schema_();
}

namespace {

// A kernel of the wrong type would read its arguments from the wrong registers.
void check_kernel(
    const c10::OperatorName& name, const CppFunction& function, const std::string& origin) {
  const auto handle = c10::Dispatcher::singleton().findSchema(name);
  if (handle && function.has_signature()) {
    c10::check_signature(
        handle->schema(), jit::parseSchema(toString(name) + function.inferred_schema()), origin);
  }
}

} // namespace

c10::DispatchKey parse_dispatch_key(std::string_view name) {
  return c10::parseDispatchKey(std::string(name));
}

Library::Library(
    Kind kind, std::string ns, std::optional<c10::DispatchKey> key, const char* file, uint32_t line)
    : kind_(kind), ns_(std::move(ns)), key_(key), file_(file), line_(line) {
  if (kind_ == DEF) {
    registrations_.push_back(c10::Dispatcher::singleton().registerLibrary(ns_, origin()));
  }
}

Library::~Library() {
  // Newest first, so that a kernel is removed before the operator it belongs to.
  while (!registrations_.empty()) {
    registrations_.pop_back();
  }
}

std::string Library::origin() const {
  return std::string(file_) + ":" + std::to_string(line_);
}

c10::OperatorName Library::qualified(c10::OperatorName name) const {
  if (const auto given = name.getNamespace()) {
    TORCH_CHECK(
        ns_ == "_" || *given == ns_, "The operator ", toString(name),
        " is registered in a block for namespace ", ns_, " (", origin(), ")");
  } else {
    name.name = ns_ + "::" + name.name;
  }
  return name;
}

Library& Library::def(std::string_view schema) & {
  c10::FunctionSchema parsed = jit::parseSchema(schema);
  const c10::OperatorName name = qualified(parsed.operator_name());
  parsed.setNamespaceIfNotSet(ns_);
  registrations_.push_back(c10::Dispatcher::singleton().registerDef(std::move(parsed), origin()));
  return *this;
}

Library& Library::def(std::string_view name_or_schema, CppFunction function) & {
  const bool is_name = name_or_schema.find('(') == std::string_view::npos;
  std::string schema(name_or_schema);
  if (is_name) {
    schema += function.inferred_schema();
  }
  def(schema);
  const c10::OperatorName name =
      is_name ? jit::parseName(name_or_schema) : jit::parseSchema(schema).operator_name();
  if (!function.dispatch_key()) {
    function.set_dispatch_key(c10::DispatchKey::CompositeImplicitAutograd);
  }
  check_kernel(qualified(name), function, origin());
  registrations_.push_back(c10::Dispatcher::singleton().registerImpl(
      qualified(name), function.dispatch_key(), function.kernel(), origin()));
  return *this;
}

Library& Library::impl(std::string_view name, CppFunction function) & {
  const auto key = function.dispatch_key() ? function.dispatch_key() : key_;
  const c10::OperatorName full_name = qualified(jit::parseName(name));
  check_kernel(full_name, function, origin());
  registrations_.push_back(
      c10::Dispatcher::singleton().registerImpl(full_name, key, function.kernel(), origin()));
  return *this;
}

Library& Library::fallback(CppFunction function) & {
  const auto key = function.dispatch_key() ? function.dispatch_key() : key_;
  TORCH_CHECK(
      key.has_value(), "fallback() needs a dispatch key: use TORCH_LIBRARY_IMPL(_, Key, m)");
  TORCH_CHECK(
      ns_ == "_", "a fallback serves every operator, so its block is TORCH_LIBRARY_IMPL(_, ",
      c10::toString(*key), ", m), not one for namespace ", ns_);
  registrations_.push_back(
      c10::Dispatcher::singleton().registerFallback(*key, function.kernel(), origin()));
  return *this;
}

namespace detail {

TorchLibraryInit::TorchLibraryInit(
    Library::Kind kind, Function function, const char* ns, std::optional<c10::DispatchKey> key,
    const char* file, uint32_t line)
    : library_(kind, ns, key, file, line) {
  function(library_);
}

} // namespace detail
} // namespace torch
