#include <caffe2/contrib/aten/aten_call.h>

#include <caffe2/core/operator.h>
#include <caffe2/core/suggest.h>

#include <ATen/ops/scalar_tensor.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace caffe2::aten {

namespace {

using Names = std::vector<std::string>;

Names words(const char* text) {
  std::istringstream stream(text);
  Names found;
  for (std::string word; stream >> word;)
    found.push_back(word);
  return found;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The names of the arguments for ATen.
Names given_arguments(const OperatorDef& definition) {
  Names given;
  for (const Argument& argument : definition.arg()) {
    const std::string& name = argument.name();
    if (name != "operator" && name != "overload_name") given.push_back(name);
  }
  return given;
}

struct Request {
  std::string name;
  const std::string* overload;
  Names given;
  int inputs;

  bool fits(const Implementation& candidate, const Names& required) const {
    if (candidate.inputs != -1 && candidate.inputs != inputs) return false;
    if (overload && *overload != candidate.overload) return false;
    const Names optional = words(candidate.optional);
    return std::all_of(
               required.begin(), required.end(),
               [&](const std::string& name) { return contains(given, name); }) &&
        std::all_of(given.begin(), given.end(), [&](const std::string& name) {
             return contains(required, name) || contains(optional, name);
           });
  }
};

// "add.Tensor: 2 inputs, [alpha]", with optional arguments in brackets.
std::string description(const Implementation& row) {
  std::ostringstream text;
  text << row.name << (*row.overload ? "." : "") << row.overload << ": ";
  if (row.inputs == -1) {
    text << "a list of inputs";
  } else {
    text << row.inputs << (row.inputs == 1 ? " input" : " inputs");
  }
  for (const std::string& name : words(row.required))
    text << ", " << name;
  for (const std::string& name : words(row.optional))
    text << ", [" << name << "]";
  return text.str();
}

[[noreturn]] void throw_no_implementation(
    const Request& request, const std::vector<ImplementationTable>& tables) {
  Names names;
  std::string overloads;
  for (const ImplementationTable table : tables) {
    for (const Implementation& row : table) {
      names.emplace_back(row.name);
      if (row.name == request.name) overloads += "\n  " + description(row);
    }
  }
  TORCH_CHECK(
      !overloads.empty(), "ATen has no operator \"", request.name, "\" for Caffe2",
      suggest(request.name, names));
  std::string given;
  for (const std::string& name : request.given)
    given += (given.empty() ? "" : ", ") + name;
  TORCH_CHECK(
      false, "no overload of ATen's \"", request.name, "\" takes ", request.inputs,
      " inputs and the arguments (", given, "); there are", overloads);
  std::abort();
}

// The inputs from `first`, except the last `after`.
at::TensorList between(const std::vector<at::Tensor>& inputs, size_t first, size_t after) {
  TORCH_CHECK(
      first + after <= inputs.size(), "the operator needs at least ", first + after,
      " inputs, but got ", inputs.size());
  return at::TensorList(inputs).slice(first, inputs.size() - first - after);
}

} // namespace

const Implementation& find_implementation(
    const OperatorDef& definition, const std::vector<ImplementationTable>& tables) {
  const Argument* overload = FindArgument(definition, "overload_name");
  const Request request{
      GetArgument<std::string>(definition, "operator"), overload ? &overload->s() : nullptr,
      given_arguments(definition), definition.input_size()};
  const Implementation* best = nullptr;
  size_t most = 0;
  for (const ImplementationTable table : tables) {
    for (const Implementation& row : table) {
      if (row.name != request.name) continue;
      const Names required = words(row.required);
      if (request.fits(row, required) && (!best || required.size() > most)) {
        best = &row;
        most = required.size();
      }
    }
  }
  if (!best) throw_no_implementation(request, tables);
  return *best;
}

const at::Tensor& ATenCall::tensor(size_t index) const {
  TORCH_CHECK(index < inputs_.size(), "the input ", index, " is missing");
  TORCH_CHECK(inputs_[index].defined(), "the input ", index, " needs a name");
  return inputs_[index];
}

std::optional<at::Device> ATenCall::device() const {
  const at::Device device = DeviceOf(definition_);
  return device.is_cpu() ? std::nullopt : std::optional(device);
}

std::optional<at::Tensor> ATenCall::optional_tensor(size_t index) const {
  if (index >= inputs_.size() || !inputs_[index].defined()) return std::nullopt;
  return inputs_[index];
}

at::TensorList ATenCall::tensors(size_t first, size_t after) const {
  const at::TensorList list = between(inputs_, first, after);
  for (const at::Tensor& tensor : list) {
    TORCH_CHECK(tensor.defined(), "each tensor of a list needs a name");
  }
  return list;
}

c10::List<std::optional<at::Tensor>> ATenCall::optional_tensors(size_t first, size_t after) const {
  c10::List<std::optional<at::Tensor>> list;
  for (const at::Tensor& tensor : between(inputs_, first, after)) {
    list.push_back(tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt);
  }
  return list;
}

std::vector<at::Tensor> tensors_of(const at::Scalar& result) {
  const at::ScalarType type = result.isBoolean() ? at::kBool
      : result.isIntegral(/*includeBool=*/false) ? at::kLong
                                                 : at::kDouble;
  return {at::scalar_tensor(result, type)};
}

} // namespace caffe2::aten
