#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/core/operator_name.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace c10 {

enum class TypeKind : uint8_t {
  Tensor,
  Int,
  Float,
  Bool,
  Complex,
  Scalar,
  String,
  Device,
  ScalarType,
  Layout,
  MemoryFormat,
  QScheme,
  Generator,
  Storage,
  Stream,
  Dimname,
  Any,
  Optional,
  List,
};

// A type of the schema language: a base type, or an Optional or List of another type.
struct TORCH_API SchemaType {
  TypeKind kind = TypeKind::Tensor;
  std::shared_ptr<const SchemaType> element; // for Optional and List
  int64_t size = 0;                          // for a list of fixed length, else 0
  bool symbolic = false;                     // declared as SymInt

  std::string str() const;
  bool is_optional() const { return kind == TypeKind::Optional; }
};

// (a!), (a), (a -> *)
struct AliasAnnotation {
  std::string before;
  std::string after;
  bool is_write = false;

  std::string str() const;
};

struct TORCH_API Argument {
  std::string name;
  SchemaType type;
  std::optional<AliasAnnotation> alias;
  std::optional<IValue> default_value;
  std::string default_text; // as declared
  bool kwarg_only = false;
};

// An operator's name, arguments and results, parsed from its one-line schema.
struct TORCH_API FunctionSchema {
 public:
  FunctionSchema(OperatorName name, std::vector<Argument> arguments, std::vector<Argument> returns)
      : name_(std::move(name)), arguments_(std::move(arguments)), returns_(std::move(returns)) {}

  const OperatorName& operator_name() const { return name_; }
  const std::string& name() const { return name_.name; }
  const std::string& overload_name() const { return name_.overload_name; }
  const std::vector<Argument>& arguments() const { return arguments_; }
  const std::vector<Argument>& returns() const { return returns_; }
  std::optional<size_t> argumentIndexWithName(std::string_view name) const;
  bool is_mutable() const;
  void setNamespaceIfNotSet(std::string_view ns);

 private:
  OperatorName name_;
  std::vector<Argument> arguments_;
  std::vector<Argument> returns_;
};

TORCH_API std::string toString(const FunctionSchema& schema);

} // namespace c10

namespace torch::jit {

// Parses "ns::name.overload(arguments) -> results"; errors give the position and what was expected.
TORCH_API c10::FunctionSchema parseSchema(std::string_view text);
// Parses "ns::name.overload".
TORCH_API c10::OperatorName parseName(std::string_view text);

} // namespace torch::jit
