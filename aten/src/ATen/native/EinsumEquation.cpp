#include <ATen/native/EinsumEquation.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <string>

namespace at::native {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

EinsumLabel label_of(char c) {
  return c >= 'a' ? c - 'a' + 26 : c - 'A';
}

// One side's subscripts; `ellipsis` is the position of "...", or -1.
struct Subscripts {
  EinsumLabels labels;
  int ellipsis = -1;
};

// "operand 1", or "output".
std::string side_name(int operand) {
  return operand < 0 ? "output" : "operand " + std::to_string(operand);
}

Subscripts parse_subscripts(c10::string_view equation, size_t begin, size_t end, int operand) {
  Subscripts result;
  for (size_t i = begin; i < end; ++i) {
    const char c = equation[i];
    if (c == ' ') {
      continue;
    }
    if (c == '.') {
      TORCH_CHECK(
          result.ellipsis < 0, "einsum(): found '.' for ", side_name(operand),
          " but an ellipsis (...) was already found");
      TORCH_CHECK(
          i + 2 < end && equation[i + 1] == '.' && equation[i + 2] == '.',
          "einsum(): found '.' for ", side_name(operand),
          " that is not part of any ellipsis (...)");
      result.ellipsis = static_cast<int>(result.labels.size());
      i += 2;
      continue;
    }
    TORCH_CHECK(
        is_letter(c), "einsum(): invalid subscript given at index ", i,
        " in the equation string, subscripts must be in [a-zA-Z]");
    result.labels.push_back(label_of(c));
  }
  return result;
}

std::vector<Subscripts> parse_operands(c10::string_view equation, size_t end, size_t count) {
  std::vector<Subscripts> operands;
  size_t begin = 0;
  while (true) {
    const size_t comma = std::min(equation.find(',', begin), end);
    TORCH_CHECK(
        operands.size() < count,
        "einsum(): fewer operands were provided than specified in the equation");
    operands.push_back(parse_subscripts(equation, begin, comma, static_cast<int>(operands.size())));
    if (comma >= end) {
      break;
    }
    begin = comma + 1;
  }
  TORCH_CHECK(
      operands.size() == count,
      "einsum(): more operands were provided than specified in the equation");
  return operands;
}

// How many dimensions the ellipsis of an operand covers. Also checks the number of subscripts.
int64_t covered(const Subscripts& s, int64_t ndim, size_t operand) {
  const auto named = static_cast<int64_t>(s.labels.size());
  if (s.ellipsis < 0) {
    TORCH_CHECK(
        named == ndim, "einsum(): the number of subscripts in the equation (", named,
        ") does not match the number of dimensions (", ndim, ") for operand ", operand,
        " and no ellipsis was given");
    return 0;
  }
  TORCH_CHECK(
      named <= ndim, "einsum(): the number of subscripts in the equation (", named,
      ") is more than the number of dimensions (", ndim, ") for operand ", operand);
  return ndim - named;
}

// Inserts the last `count` of the `total` ellipsis labels at `at`.
void insert_ellipsis(EinsumLabels& labels, int at, int64_t count, int64_t total) {
  for (int64_t i = 0; i < count; ++i) {
    labels.insert(
        labels.begin() + at + i, kEllipsisLabels + static_cast<EinsumLabel>(total - count + i));
  }
}

EinsumLabels implicit_output(const std::vector<Subscripts>& operands, int64_t total) {
  int occurrences[kEllipsisLabels] = {};
  for (const Subscripts& s : operands) {
    for (const EinsumLabel label : s.labels) {
      ++occurrences[label];
    }
  }
  EinsumLabels output;
  insert_ellipsis(output, 0, total, total);
  for (EinsumLabel label = 0; label < kEllipsisLabels; ++label) {
    if (occurrences[label] == 1) {
      output.push_back(label);
    }
  }
  return output;
}

EinsumLabels explicit_output(
    const Subscripts& s, const std::vector<Subscripts>& operands, int64_t total) {
  for (size_t i = 0; i < s.labels.size(); ++i) {
    const EinsumLabel label = s.labels[i];
    TORCH_CHECK(
        std::count(s.labels.begin(), s.labels.end(), label) == 1, "einsum(): output subscript ",
        einsum_letter(label), " appears more than once in the output");
    const bool known = std::any_of(operands.begin(), operands.end(), [&](const Subscripts& o) {
      return std::find(o.labels.begin(), o.labels.end(), label) != o.labels.end();
    });
    TORCH_CHECK(
        known, "einsum(): output subscript ", einsum_letter(label),
        " does not appear in the equation for any input operand");
  }
  EinsumLabels output = s.labels;
  if (s.ellipsis >= 0) {
    insert_ellipsis(output, s.ellipsis, total, total);
  }
  return output;
}

} // namespace

char einsum_letter(EinsumLabel label) {
  if (label >= kEllipsisLabels) {
    return '.';
  }
  return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26);
}

EinsumEquation parse_einsum(c10::string_view equation, const std::vector<int64_t>& ndims) {
  const size_t arrow = equation.find("->");
  const bool has_arrow = arrow != c10::string_view::npos;
  const size_t end = has_arrow ? arrow : equation.size();
  const std::vector<Subscripts> operands = parse_operands(equation, end, ndims.size());
  int64_t total = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    total = std::max(total, covered(operands[i], ndims[i], i));
  }
  EinsumEquation result;
  result.output = has_arrow
      ? explicit_output(parse_subscripts(equation, arrow + 2, equation.size(), -1), operands, total)
      : implicit_output(operands, total);
  for (size_t i = 0; i < operands.size(); ++i) {
    result.operands.push_back(operands[i].labels);
    if (operands[i].ellipsis >= 0) {
      insert_ellipsis(
          result.operands.back(), operands[i].ellipsis, covered(operands[i], ndims[i], i), total);
    }
  }
  return result;
}

} // namespace at::native
