// Parses schema strings. It runs when a schema is requested, never at import.
#include <ATen/core/function_schema.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace torch::jit {

namespace {

using c10::AliasAnnotation;
using c10::Argument;
using c10::IValue;
using c10::SchemaType;
using c10::TypeKind;

struct NamedType {
  const char* name;
  TypeKind kind;
};
constexpr NamedType kTypes[] = {
    {"Tensor", TypeKind::Tensor},   {"int", TypeKind::Int},
    {"SymInt", TypeKind::Int},      {"float", TypeKind::Float},
    {"SymFloat", TypeKind::Float},  {"bool", TypeKind::Bool},
    {"SymBool", TypeKind::Bool},    {"complex", TypeKind::Complex},
    {"Scalar", TypeKind::Scalar},   {"number", TypeKind::Scalar},
    {"str", TypeKind::String},      {"Device", TypeKind::Device},
    {"DeviceIndex", TypeKind::Int}, {"ScalarType", TypeKind::ScalarType},
    {"Layout", TypeKind::Layout},   {"MemoryFormat", TypeKind::MemoryFormat},
    {"QScheme", TypeKind::QScheme}, {"Generator", TypeKind::Generator},
    {"Storage", TypeKind::Storage}, {"Stream", TypeKind::Stream},
    {"Dimname", TypeKind::Dimname}, {"DimnameList", TypeKind::Dimname},
    {"Any", TypeKind::Any},
};

struct NamedValue {
  const char* name;
  int64_t value;
};
// Names allowed as defaults; the numbers are those of the enumerations.
const NamedValue kValues[] = {
    {"Mean", 1},
    {"Sum", 2},
    {"strided", static_cast<int64_t>(c10::Layout::Strided)},
    {"contiguous_format", static_cast<int64_t>(c10::MemoryFormat::Contiguous)},
    {"preserve_format", static_cast<int64_t>(c10::MemoryFormat::Preserve)},
};

struct DtypeName {
  const char* name;
  c10::ScalarType type;
};
// Names of dtypes that are not those of the ScalarType in lower case.
constexpr DtypeName kDtypes[] = {
    {"uint8", c10::ScalarType::Byte},
    {"int8", c10::ScalarType::Char},
    {"int16", c10::ScalarType::Short},
    {"int32", c10::ScalarType::Int},
    {"int64", c10::ScalarType::Long},
    {"float16", c10::ScalarType::Half},
    {"float32", c10::ScalarType::Float},
    {"float64", c10::ScalarType::Double},
    {"complex32", c10::ScalarType::ComplexHalf},
    {"complex64", c10::ScalarType::ComplexFloat},
    {"complex128", c10::ScalarType::ComplexDouble},
    {"chalf", c10::ScalarType::ComplexHalf},
    {"cfloat", c10::ScalarType::ComplexFloat},
    {"cdouble", c10::ScalarType::ComplexDouble},
};

// Returns the number of the dtype that has a name in torch, or -1.
int64_t dtype_number(const std::string& name) {
  for (const DtypeName& each : kDtypes) {
    if (name == each.name) {
      return static_cast<int64_t>(each.type);
    }
  }
  for (int64_t number = 0; number < c10::NumScalarTypes - 1; ++number) {
    std::string_view known = c10::toString(static_cast<c10::ScalarType>(number));
    const bool same =
        std::equal(name.begin(), name.end(), known.begin(), known.end(), [](char a, char b) {
          return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
        });
    if (same) {
      return number;
    }
  }
  return -1;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  c10::FunctionSchema schema() {
    c10::OperatorName name = operator_name();
    std::vector<Argument> arguments = argument_list();
    expect("->");
    std::vector<Argument> returns = return_list();
    end();
    return {std::move(name), std::move(arguments), std::move(returns)};
  }

  c10::OperatorName whole_name() {
    c10::OperatorName name = operator_name();
    end();
    return name;
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) {
    TORCH_CHECK(false, "expected ", wanted, " at character ", position_ + 1, " of schema: ", text_);
    C10_UNREACHABLE();
  }

  void skip_spaces() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) {
      ++position_;
    }
  }
  bool accept(std::string_view token) {
    skip_spaces();
    if (text_.substr(position_).starts_with(token)) {
      position_ += token.size();
      return true;
    }
    return false;
  }
  void expect(std::string_view token) {
    if (!accept(token)) {
      fail("'" + std::string(token) + "'");
    }
  }
  void end() {
    skip_spaces();
    if (position_ != text_.size()) {
      fail("the end");
    }
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  std::string word(const char* wanted) {
    skip_spaces();
    const size_t start = position_;
    while (position_ < text_.size() && is_word(text_[position_])) {
      ++position_;
    }
    if (start == position_) {
      fail(wanted);
    }
    return std::string(text_.substr(start, position_ - start));
  }

  c10::OperatorName operator_name() {
    std::string name = word("an operator name");
    while (accept("::")) {
      name += "::" + word("an operator name");
    }
    return {name, accept(".") ? word("an overload name") : ""};
  }

  std::optional<AliasAnnotation> alias() {
    if (position_ < text_.size() && text_[position_] == '!') { // a set of its own: "Tensor! out"
      ++position_;
      return AliasAnnotation{"$" + std::to_string(unnamed_sets_++), "", true};
    }
    if (position_ >= text_.size() || text_[position_] != '(') {
      return std::nullopt;
    }
    ++position_;
    AliasAnnotation annotation;
    annotation.before = alias_set();
    annotation.is_write = accept("!");
    annotation.after = accept("->") ? alias_set() : annotation.before;
    annotation.is_write |= accept("!");
    expect(")");
    return annotation;
  }
  std::string alias_set() {
    std::string names = accept("*") ? "*" : word("an alias set");
    while (accept("|")) {
      names += "|" + word("an alias set");
    }
    return names;
  }

  SchemaType type(std::optional<AliasAnnotation>& annotation) {
    const std::string name = word("a type");
    SchemaType result;
    bool known = false;
    for (const NamedType& each : kTypes) {
      if (name == each.name) {
        result.kind = each.kind;
        result.symbolic = name.starts_with("Sym");
        known = true;
      }
    }
    if (!known) {
      fail("a type (not '" + name + "')");
    }
    annotation = alias();
    while (true) {
      if (position_ < text_.size() && text_[position_] == '?') {
        ++position_;
        result = SchemaType{TypeKind::Optional, std::make_shared<const SchemaType>(result)};
      } else if (position_ < text_.size() && text_[position_] == '[') {
        ++position_;
        const int64_t size = accept("]") ? 0 : integer();
        if (size > 0) {
          expect("]");
        }
        result = SchemaType{TypeKind::List, std::make_shared<const SchemaType>(result), size};
      } else {
        return result;
      }
    }
  }

  int64_t integer() {
    skip_spaces();
    int64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      fail("a number");
    }
    position_ += static_cast<size_t>(stop - begin);
    return value;
  }

  IValue default_value(const SchemaType& type) {
    skip_spaces();
    if (type.kind == TypeKind::Optional) {
      return accept("None") ? IValue() : default_value(*type.element);
    }
    if (type.kind == TypeKind::List) {
      return list_value(type);
    }
    if (accept("None")) {
      return {};
    }
    if (accept("True")) {
      return true;
    }
    if (accept("False")) {
      return false;
    }
    const char first = position_ < text_.size() ? text_[position_] : '\0';
    if (first == '"' || first == '\'') {
      IValue text = string_value(first);
      return type.kind == TypeKind::Device ? IValue(c10::Device(text.toStringRef())) : text;
    }
    if (first == '-' || first == '.' || (first >= '0' && first <= '9')) {
      return number_value(type);
    }
    const std::string name = word("a default value");
    for (const NamedValue& each : kValues) {
      if (name == each.name) {
        return each.value;
      }
    }
    if (type.kind == TypeKind::ScalarType) {
      if (const int64_t number = dtype_number(name); number >= 0) {
        return number;
      }
    }
    fail("a default value (not '" + name + "')");
  }

  IValue list_value(const SchemaType& type) {
    std::vector<IValue> values;
    if (accept("[")) {
      while (!accept("]")) {
        values.push_back(default_value(*type.element));
        accept(",");
      }
    } else { // a single value stands for a list of fixed length
      const IValue each = default_value(*type.element);
      values.assign(static_cast<size_t>(type.size > 0 ? type.size : 1), each);
    }
    switch (type.element->kind) {
      case TypeKind::Int:
        return collect<int64_t>(values, [](const IValue& v) { return v.toInt(); });
      case TypeKind::Float:
        return collect<double>(values, [](const IValue& v) { return v.toDouble(); });
      case TypeKind::Bool:
        return collect<bool>(values, [](const IValue& v) { return v.toBool(); });
      case TypeKind::Tensor:
        return collect<at::Tensor>(values, [](const IValue& v) { return v.toTensor(); });
      default:
        return IValue(std::move(values));
    }
  }
  template <typename T, typename Convert>
  static IValue collect(const std::vector<IValue>& values, Convert convert) {
    std::vector<T> list;
    list.reserve(values.size());
    for (const IValue& each : values) {
      list.push_back(convert(each));
    }
    return IValue(std::move(list));
  }

  IValue string_value(char quote) {
    const size_t close = text_.find(quote, position_ + 1);
    if (close == std::string_view::npos) {
      fail("a closing quote");
    }
    std::string value(text_.substr(position_ + 1, close - position_ - 1));
    position_ = close + 1;
    return IValue(std::move(value));
  }

  IValue number_value(const SchemaType& type) {
    double value = 0;
    const char* begin = text_.data() + position_;
    const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) {
      fail("a number");
    }
    const std::string_view digits(begin, static_cast<size_t>(stop - begin));
    position_ += digits.size();
    const bool whole = digits.find_first_of(".eE") == std::string_view::npos;
    if (whole && type.kind != TypeKind::Float) {
      return static_cast<int64_t>(value);
    }
    return value;
  }

  std::vector<Argument> argument_list() {
    std::vector<Argument> arguments;
    bool keyword_only = false;
    expect("(");
    if (accept(")")) {
      return arguments;
    }
    do {
      if (accept("*")) {
        keyword_only = true;
        continue;
      }
      Argument argument;
      skip_spaces();
      argument.type = type(argument.alias);
      argument.name = word("an argument name");
      argument.kwarg_only = keyword_only;
      if (accept("=")) {
        const size_t start = position_;
        argument.default_value = default_value(argument.type);
        argument.default_text = std::string(text_.substr(start, position_ - start));
      }
      arguments.push_back(std::move(argument));
    } while (accept(","));
    expect(")");
    return arguments;
  }

  Argument one_return() {
    Argument result;
    skip_spaces();
    result.type = type(result.alias);
    skip_spaces();
    if (position_ < text_.size() && is_word(text_[position_])) {
      result.name = word("a result name");
    }
    return result;
  }
  std::vector<Argument> return_list() {
    std::vector<Argument> returns;
    if (!accept("(")) {
      returns.push_back(one_return());
      return returns;
    }
    if (accept(")")) {
      return returns;
    }
    do {
      returns.push_back(one_return());
    } while (accept(","));
    expect(")");
    return returns;
  }

  std::string_view text_;
  size_t position_ = 0;
  int unnamed_sets_ = 0;
};

} // namespace

c10::FunctionSchema parseSchema(std::string_view text) {
  return Parser(text).schema();
}

c10::OperatorName parseName(std::string_view text) {
  return Parser(text).whole_name();
}

} // namespace torch::jit
