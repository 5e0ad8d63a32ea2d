#include <caffe2/core/argument_helper.h>

#include <c10/util/Exception.h>

#include <cmath>
#include <cstdlib>

namespace caffe2 {

namespace {

[[noreturn]] void throw_wrong_kind(const Argument& argument, const char* expected) {
  const char* given = argument.has_s() ? "a text"
      : argument.has_f()               ? "a floating-point number"
      : argument.has_i()               ? "an integer"
      : argument.floats_size()         ? "a list of floating-point numbers"
      : argument.ints_size()           ? "a list of integers"
      : argument.strings_size()        ? "a list of texts"
                                       : "another value or an empty list";
  TORCH_CHECK_VALUE(
      false, "the argument \"", argument.name(), "\" must be ", expected, ", but it is ", given);
  std::abort();
}

// Whether the argument is one value of any kind; else it is a list, which may be empty.
bool is_single(const Argument& argument) {
  return argument.has_i() || argument.has_f() || argument.has_s() || argument.has_t() ||
      argument.has_n();
}

int64_t whole_number(const Argument& argument, float value) {
  if (std::trunc(value) != value || std::abs(value) > 0x1p53F) {
    throw_wrong_kind(argument, "an integer");
  }
  return static_cast<int64_t>(value);
}

} // namespace

const Argument* FindArgument(const OperatorDef& definition, const std::string& name) {
  for (const Argument& argument : definition.arg()) {
    if (argument.name() == name) return &argument;
  }
  return nullptr;
}

void ThrowMissingArgument(const OperatorDef& definition, const std::string& name) {
  TORCH_CHECK_VALUE(false, "operator ", definition.type(), " needs the argument \"", name, "\"");
  std::abort();
}

void ReadArgument(const Argument& argument, int64_t& value) {
  if (argument.has_i()) {
    value = argument.i();
  } else if (argument.has_f()) {
    value = whole_number(argument, argument.f());
  } else {
    throw_wrong_kind(argument, "an integer");
  }
}

void ReadArgument(const Argument& argument, bool& value) {
  if (!argument.has_i()) throw_wrong_kind(argument, "true (1) or false (0)");
  value = argument.i() != 0;
}

void ReadArgument(const Argument& argument, double& value) {
  if (argument.has_f()) {
    value = argument.f();
  } else if (argument.has_i()) {
    value = static_cast<double>(argument.i());
  } else {
    throw_wrong_kind(argument, "a number");
  }
}

void ReadArgument(const Argument& argument, std::string& value) {
  if (!argument.has_s()) throw_wrong_kind(argument, "a text");
  value = argument.s();
}

void ReadArgument(const Argument& argument, at::Scalar& value) {
  if (argument.has_i()) {
    value = argument.i();
  } else if (argument.has_f()) {
    value = argument.f();
  } else {
    throw_wrong_kind(argument, "a number");
  }
}

void ReadArgument(const Argument& argument, at::ScalarType& value) {
  constexpr auto count = static_cast<int64_t>(c10::NumScalarTypes);
  if (argument.has_i() && argument.i() >= 0 && argument.i() < count) {
    value = static_cast<at::ScalarType>(argument.i());
    return;
  }
  for (int64_t number = 0; argument.has_s() && number < count; ++number) {
    value = static_cast<at::ScalarType>(number);
    if (argument.s() == at::toString(value)) return;
  }
  throw_wrong_kind(argument, "a dtype: its number, or its name such as \"Float\"");
}

void ReadArgument(const Argument& argument, std::vector<int64_t>& value) {
  value.assign(argument.ints().begin(), argument.ints().end());
  for (const float number : argument.floats())
    value.push_back(whole_number(argument, number));
  if (is_single(argument)) ReadArgument(argument, value.emplace_back());
}

void ReadArgument(const Argument& argument, std::vector<double>& value) {
  value.assign(argument.floats().begin(), argument.floats().end());
  value.insert(value.end(), argument.ints().begin(), argument.ints().end());
  if (is_single(argument)) ReadArgument(argument, value.emplace_back());
}

void ReadArgument(const Argument& argument, std::vector<at::Scalar>& value) {
  value.assign(argument.floats().begin(), argument.floats().end());
  value.insert(value.end(), argument.ints().begin(), argument.ints().end());
  if (is_single(argument)) ReadArgument(argument, value.emplace_back());
}

void ReadFlags(const Argument& argument, bool* flags, size_t count) {
  if (static_cast<size_t>(argument.ints_size()) != count) {
    throw_wrong_kind(argument, c10::str("a list of ", count, " integers, each 0 or 1").c_str());
  }
  for (const int64_t flag : argument.ints())
    *flags++ = flag != 0;
}

} // namespace caffe2
