#include <ATen/core/signature_check.h>

namespace c10 {

namespace {

// Enumerations are passed as integers, so a kernel may take either.
TypeKind without_enumerations(TypeKind kind) {
  switch (kind) {
    case TypeKind::ScalarType:
    case TypeKind::Layout:
    case TypeKind::MemoryFormat:
    case TypeKind::QScheme:
      return TypeKind::Int;
    default:
      return kind;
  }
}

bool same_type(const SchemaType& declared, const SchemaType& inferred) {
  if (declared.kind == TypeKind::Any || inferred.kind == TypeKind::Any) {
    return true;
  }
  if (without_enumerations(declared.kind) != without_enumerations(inferred.kind)) {
    return false;
  }
  return !declared.element || !inferred.element || same_type(*declared.element, *inferred.element);
}

// Returns the first difference, or nullopt.
std::string difference(
    const char* what, const std::vector<Argument>& declared,
    const std::vector<Argument>& inferred) {
  if (declared.size() != inferred.size()) {
    return str(
        "the number of ", what, "s differs: ", declared.size(), " declared, ", inferred.size(),
        " in C++");
  }
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!same_type(declared[i].type, inferred[i].type)) {
      return str(
          what, " ", i + 1, " is declared as ", declared[i].type.str(), " and is ",
          inferred[i].type.str(), " in C++");
    }
  }
  return {};
}

} // namespace

void check_signature(
    const FunctionSchema& declared, const FunctionSchema& inferred, const std::string& origin) {
  std::string wrong = difference("argument", declared.arguments(), inferred.arguments());
  if (wrong.empty()) {
    wrong = difference("return value", declared.returns(), inferred.returns());
  }
  TORCH_CHECK(
      wrong.empty(),
      "Inferred operator schema for a C++ kernel function doesn't match the expected function "
      "schema."
      "\n  operator: ",
      toString(declared.operator_name()), "\n  expected schema: ", toString(declared),
      "\n  inferred schema: ", toString(inferred), "\n  reason: ", wrong, "\n  kernel: ", origin);
}

} // namespace c10
