#include <ATen/core/function_schema.h>

namespace c10 {

namespace {

const char* base_name(TypeKind kind) {
  static constexpr const char* names[] = {
      "Tensor",    "int",     "float",      "bool",    "complex",      "Scalar",
      "str",       "Device",  "ScalarType", "Layout",  "MemoryFormat", "QScheme",
      "Generator", "Storage", "Stream",     "Dimname", "Any"};
  return names[static_cast<size_t>(kind)];
}

std::string argument_text(const Argument& argument, bool is_return) {
  std::string type = argument.type.str();
  if (argument.alias) {
    // The annotation follows the base type: Tensor(a!), Tensor(a)[].
    size_t end = type.find_first_of("[?");
    type.insert(end == std::string::npos ? type.size() : end, argument.alias->str());
  }
  if (is_return && argument.name.empty()) {
    return type;
  }
  std::string text = type + " " + argument.name;
  if (argument.default_value) {
    text += "=" + argument.default_text;
  }
  return text;
}

} // namespace

std::string SchemaType::str() const {
  switch (kind) {
    case TypeKind::Optional:
      return element->str() + "?";
    case TypeKind::List:
      return element->str() + (size > 0 ? "[" + std::to_string(size) + "]" : "[]");
    default:
      return symbolic ? "SymInt" : base_name(kind);
  }
}

std::string AliasAnnotation::str() const {
  std::string text = "(" + before + (is_write ? "!" : "");
  if (after != before) {
    text += " -> " + after;
  }
  return text + ")";
}

std::optional<size_t> FunctionSchema::argumentIndexWithName(std::string_view name) const {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

bool FunctionSchema::is_mutable() const {
  for (const Argument& argument : arguments_) {
    if (argument.alias && argument.alias->is_write) {
      return true;
    }
  }
  return false;
}

void FunctionSchema::setNamespaceIfNotSet(std::string_view ns) {
  if (!name_.getNamespace()) {
    name_.name = std::string(ns) + "::" + name_.name;
  }
}

std::string toString(const FunctionSchema& schema) {
  std::string text = toString(schema.operator_name()) + "(";
  bool keyword_only = false;
  const char* separator = "";
  for (const Argument& argument : schema.arguments()) {
    text += separator;
    if (argument.kwarg_only && !keyword_only) {
      keyword_only = true;
      text += "*, ";
    }
    text += argument_text(argument, false);
    separator = ", ";
  }
  text += ") -> ";
  const bool parenthesised = schema.returns().size() != 1 || !schema.returns().front().name.empty();
  text += parenthesised ? "(" : "";
  separator = "";
  for (const Argument& each : schema.returns()) {
    text += separator + argument_text(each, true);
    separator = ", ";
  }
  return text + (parenthesised ? ")" : "");
}

} // namespace c10
