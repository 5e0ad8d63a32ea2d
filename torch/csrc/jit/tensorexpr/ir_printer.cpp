#include <torch/csrc/jit/tensorexpr/ir_printer.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/tensorexpr/external_functions.h>

#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>

namespace torch::jit::tensorexpr {
namespace {

constexpr std::array binary_symbols{"+",       "-",       "*",  "divide", "modulo",
                                    "maximum", "minimum", "&&", "||"};
constexpr std::array compare_symbols{"==", "!=", "<", "<="};
#define TENSOREXPR_NAME(name, op) #name,
constexpr std::array intrinsic_names{TENSOREXPR_INTRINSICS(TENSOREXPR_NAME)};
#undef TENSOREXPR_NAME

std::string infix(const char* symbol, const ExprPtr& left, const ExprPtr& right) {
  if (std::isalpha(static_cast<unsigned char>(symbol[0]))) {
    return std::string(symbol) + "(" + to_string(left) + ", " + to_string(right) + ")";
  }
  return "(" + to_string(left) + " " + symbol + " " + to_string(right) + ")";
}

std::string floating(Dtype dtype, double value) {
  const std::string type = cpp_type(dtype);
  if (!std::isfinite(value)) {
    const std::string limits = "std::numeric_limits<" + type + ">::";
    return std::isnan(value) ? limits + "quiet_NaN()"
                             : (value < 0 ? "-" : "") + limits + "infinity()";
  }
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << value;
  return type + "(" + text.str() + ")";
}

std::string immediate(Dtype dtype, const Immediate& it) {
  if (const auto* const value = std::get_if<double>(&it.value)) {
    return floating(dtype, *value);
  }
  const auto value = std::get<int64_t>(it.value);
  if (dtype == Dtype::Bool) {
    return value != 0 ? "true" : "false";
  }
  if (value == std::numeric_limits<int64_t>::min()) {
    return "std::numeric_limits<int64_t>::min()";
  }
  return dtype == Dtype::Int ? "int(" + std::to_string(value) + ")" : std::to_string(value) + "L";
}

std::string element(const BufPtr& buf, const std::vector<ExprPtr>& indices) {
  std::string offset;
  for (size_t d = 0; d < indices.size(); ++d) {
    const std::string index = to_string(indices[d]);
    offset = d == 0 ? index : c10::str("(", offset, ") * ", buf->sizes[d], " + ", index);
  }
  return unique_name(buf->name, buf->id) + "[" + (offset.empty() ? "0" : offset) + "]";
}

std::string loop_header(const For& it) {
  const std::string name = unique_name(it.var.name, it.var.id);
  const std::string pragma = it.mode == LoopMode::Parallel ? "#pragma omp parallel for\n"
      : it.mode == LoopMode::Vectorized                    ? "#pragma omp simd\n"
                                                           : "";
  return pragma + "for (int64_t " + name + " = " + std::to_string(it.start) + "; " + name + " < " +
      std::to_string(it.stop) + "; ++" + name + ") ";
}

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string result, line;
  while (std::getline(lines, line)) {
    result += "  " + line + "\n";
  }
  return result;
}

std::string allocation(const BufPtr& buf) {
  int64_t count = 1;
  for (const int64_t size : buf->sizes) {
    count *= size;
  }
  const std::string name = unique_name(buf->name, buf->id), type = cpp_type(buf->dtype);
  return "const std::unique_ptr<" + type + "[]> " + name + "(new " + type + "[" +
      std::to_string(count) + "]());\n";
}

std::string array(const char* type, const char* name, const auto& values) {
  std::string text;
  for (const auto& value : values) {
    text += (text.empty() ? "" : ", ") + c10::str(value);
  }
  return c10::str(type, " ", name, "[] = {", text.empty() ? "0" : text, "};\n");
}

std::string external_call(const Call& it) {
  const CallLayout layout = layout_of(it);
  std::vector<std::string> data;
  data.reserve(layout.bufs.size());
  for (const auto& buf : layout.bufs) {
    data.push_back("&" + unique_name(buf->name, buf->id) + "[0]");
  }
  const std::vector<int> dtypes(layout.dtypes.begin(), layout.dtypes.end());
  const std::string body = array("void*", "data", data) + array("int64_t", "ranks", layout.ranks) +
      array("int64_t", "dims", layout.dims) + array("int64_t", "strides", layout.strides) +
      array("int8_t", "dtypes", dtypes) + array("int64_t", "arguments", it.arguments) +
      c10::str(function_variable(it.function), "(", data.size(),
               ", data, ranks, dims, strides, dtypes, ", it.arguments.size(), ", arguments);\n");
  return "{\n" + indented(body) + "}\n";
}

} // namespace

std::string function_variable(const std::string& function) {
  return unique_name(function, 0); // no variable or buffer has the number 0
}

std::string unique_name(const std::string& name, int64_t id) {
  std::string result;
  for (const char c : name) {
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return "v_" + result + "_" + std::to_string(id);
}

const char* cpp_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::Bool:
      return "bool";
    case Dtype::Int:
      return "int";
    case Dtype::Long:
      return "int64_t";
    case Dtype::Float:
      return "float";
    default:
      return "double";
  }
}

std::string to_string(const ExprPtr& expr) {
  return std::visit(
      Overloaded{
          [&](const Immediate& it) { return immediate(expr->dtype, it); },
          [](const Var& it) { return unique_name(it.name, it.id); },
          [](const Binary& it) {
            return infix(binary_symbols[static_cast<size_t>(it.op)], it.left, it.right);
          },
          [](const Compare& it) {
            return infix(compare_symbols[static_cast<size_t>(it.op)], it.left, it.right);
          },
          [&](const Cast& it) {
            return std::string(cpp_type(expr->dtype)) + "(" + to_string(it.value) + ")";
          },
          [](const Select& it) {
            return "(" + to_string(it.condition) + " ? " + to_string(it.yes) + " : " +
                to_string(it.no) + ")";
          },
          [](const Intrinsic& it) {
            return std::string("std::") + intrinsic_names[static_cast<size_t>(it.op)] + "(" +
                to_string(it.value) + ")";
          },
          [](const Load& it) { return element(it.buf, it.indices); }},
      expr->node);
}

std::string to_string(const StmtPtr& stmt) {
  return std::visit(
      Overloaded{
          [](const Block& it) {
            std::string text;
            for (const auto& inner : it.stmts) {
              text += to_string(inner);
            }
            return text;
          },
          [](const For& it) {
            return loop_header(it) + "{\n" + indented(to_string(it.body)) + "}\n";
          },
          [](const Store& it) {
            return element(it.buf, it.indices) + " = " + to_string(it.value) + ";\n";
          },
          [](const Cond& it) {
            return "if (" + to_string(it.condition) + ") {\n" + indented(to_string(it.body)) +
                "}\n";
          },
          [](const Allocate& it) { return allocation(it.buf); },
          [](const Call& it) { return external_call(it); }},
      stmt->node);
}

} // namespace torch::jit::tensorexpr
