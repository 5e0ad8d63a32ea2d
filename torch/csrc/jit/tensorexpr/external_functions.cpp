#include <torch/csrc/jit/tensorexpr/external_functions.h>

#include <c10/util/Exception.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace torch::jit::tensorexpr {
namespace {

// Appends the words of an argument; false if the parameter does not take it.
bool append_words(std::vector<int64_t>& words, ExternalArgument kind, const c10::Scalar& value) {
  const bool real = !value.isComplex();
  switch (kind) {
    case ExternalArgument::Int:
      words.push_back(value.isIntegral(false) ? value.toLong() : 0);
      return value.isIntegral(false);
    case ExternalArgument::Bool:
      words.push_back(value.isBoolean() && value.toBool() ? 1 : 0);
      return value.isBoolean();
    case ExternalArgument::Float:
      words.push_back(real ? std::bit_cast<int64_t>(value.toDouble()) : 0);
      return real;
    case ExternalArgument::Scalar:
      words.push_back(static_cast<int64_t>(value.type()));
      if (value.isFloatingPoint()) {
        words.push_back(std::bit_cast<int64_t>(value.toDouble()));
      } else {
        words.push_back(real ? value.toLong() : 0);
      }
      return real;
  }
  return false;
}

const char* name_of(ExternalArgument kind) {
  switch (kind) {
    case ExternalArgument::Int:
      return "an integer";
    case ExternalArgument::Bool:
      return "a bool";
    default:
      return "a real number";
  }
}

std::vector<int64_t> words_of(
    const std::string& function, const std::vector<ExternalArgument>& kinds,
    const std::vector<c10::Scalar>& arguments) {
  std::vector<int64_t> words;
  for (size_t n = 0; n < kinds.size(); ++n) {
    TORCH_CHECK_TYPE(
        append_words(words, kinds[n], arguments[n]), function, ": argument ", n, " is ",
        name_of(kinds[n]), ", not ", arguments[n], " of type ", c10::toString(arguments[n].type()));
  }
  return words;
}

} // namespace

std::unordered_map<std::string, RegisteredExternalFunction>& getNNCFunctionRegistry() {
  static std::unordered_map<std::string, RegisteredExternalFunction> registry;
  return registry;
}

const RegisteredExternalFunction& registered_external_function(const std::string& name) {
  const auto found = getNNCFunctionRegistry().find(name);
  TORCH_CHECK_VALUE(
      found != getNNCFunctionRegistry().end(), "no external function is called ", name,
      "; external_functions_codegen.h lists those of operators");
  return found->second;
}

RegisterNNCExternalFunction::RegisterNNCExternalFunction(
    const std::string& name, RegisteredExternalFunction function) {
  const bool is_new = getNNCFunctionRegistry().emplace(name, std::move(function)).second;
  TORCH_CHECK_VALUE(is_new, "two external functions are called ", name);
}

Tensor ExternalCall(
    const std::string& name, const std::vector<int64_t>& sizes, Dtype dtype,
    const std::string& function, const std::vector<BufHandle>& inputs,
    const std::vector<c10::Scalar>& arguments) {
  const auto& registered = registered_external_function(function);
  TORCH_CHECK_VALUE(
      static_cast<int64_t>(inputs.size()) == registered.inputs &&
          arguments.size() == registered.arguments.size(),
      function, " takes ", registered.inputs, " tensors and ", registered.arguments.size(),
      " further arguments, got ", inputs.size(), " and ", arguments.size());
  const BufHandle buf(name, sizes, dtype);
  Call call{buf.node(), function, {}, words_of(function, registered.arguments, arguments)};
  std::ranges::transform(inputs, std::back_inserter(call.inputs), &BufHandle::node);
  return {buf, make_block({make_stmt(std::move(call))})};
}

CallLayout layout_of(const Call& call) {
  CallLayout layout{{call.buf}, {}, {}, {}, {}};
  layout.bufs.insert(layout.bufs.end(), call.inputs.begin(), call.inputs.end());
  for (const auto& buf : layout.bufs) {
    layout.ranks.push_back(static_cast<int64_t>(buf->sizes.size()));
    layout.dtypes.push_back(static_cast<int8_t>(buf->dtype));
    layout.dims.insert(layout.dims.end(), buf->sizes.begin(), buf->sizes.end());
    std::vector<int64_t> strides(buf->sizes.size(), 1);
    for (size_t d = strides.size(); d-- > 1;) {
      strides[d - 1] = strides[d] * std::max<int64_t>(buf->sizes[d], 1);
    }
    layout.strides.insert(layout.strides.end(), strides.begin(), strides.end());
  }
  return layout;
}

} // namespace torch::jit::tensorexpr
