#include <torch/csrc/autograd/python_profiled_inputs.h>

#include <torch/csrc/utils/object_ptr.h>

#include <string>

namespace torch::autograd {

namespace {

using Kind = ProfiledInput::Kind;

// Longer lists are left out: they may hold data.
constexpr size_t kLongestList = 30;

void add_tensor(ProfiledInput& input, const at::Tensor& tensor) {
  input.dtypes.push_back(static_cast<int64_t>(tensor.scalar_type()));
  const bool strided = tensor.layout() == at::kStrided;
  input.sizes.push_back(tensor.sizes().vec());
  input.strides.push_back(strided ? tensor.strides().vec() : std::vector<int64_t>());
}

bool is_short_value(const c10::IValue& value) {
  if (value.isInt() || value.isDouble() || value.isBool()) return true;
  if (value.isIntList()) return value.toIntList().size() <= kLongestList;
  if (value.isDoubleList()) return value.toDoubleList().size() <= kLongestList;
  return value.isBoolList() && value.toBoolList().size() <= kLongestList;
}

ProfiledInput input_of(const c10::IValue& value) {
  ProfiledInput input;
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return input;
    input.kind = Kind::Tensor;
    add_tensor(input, value.toTensor());
  } else if (value.isTensorList()) {
    input.kind = Kind::TensorList;
    for (const at::Tensor& tensor : value.toTensorList())
      if (tensor.defined()) add_tensor(input, tensor);
  } else if (is_short_value(value)) {
    input.kind = Kind::Value;
    input.value = value;
  }
  return input;
}

PyObject* number_to_python(int64_t number) {
  return PyLong_FromLongLong(number);
}

PyObject* number_to_python(double number) {
  return PyFloat_FromDouble(number);
}

PyObject* number_to_python(bool number) {
  return PyBool_FromLong(number ? 1 : 0);
}

template <typename Number>
PyObject* list_to_python(const std::vector<Number>& numbers) {
  THPObjectPtr list(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
  if (!list) return nullptr;
  for (size_t i = 0; i < numbers.size(); ++i) {
    PyObject* const item = number_to_python(static_cast<Number>(numbers[i]));
    if (!item) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), item);
  }
  return list.release();
}

PyObject* lists_to_python(const std::vector<std::vector<int64_t>>& lists) {
  THPObjectPtr found(PyList_New(static_cast<Py_ssize_t>(lists.size())));
  if (!found) return nullptr;
  for (size_t i = 0; i < lists.size(); ++i) {
    PyObject* const list = list_to_python(lists[i]);
    if (!list) return nullptr;
    PyList_SET_ITEM(found.get(), static_cast<Py_ssize_t>(i), list);
  }
  return found.release();
}

PyObject* value_to_python(const c10::IValue& value) {
  if (value.isInt()) return number_to_python(value.toInt());
  if (value.isDouble()) return number_to_python(value.toDouble());
  if (value.isBool()) return number_to_python(value.toBool());
  if (value.isIntList()) return list_to_python(value.toIntList());
  if (value.isDoubleList()) return list_to_python(value.toDoubleList());
  if (value.isBoolList()) return list_to_python(value.toBoolList());
  return Py_NewRef(Py_None);
}

PyObject* input_to_python(const ProfiledInput& input) {
  const THPObjectPtr dtypes(list_to_python(input.dtypes));
  const THPObjectPtr sizes(lists_to_python(input.sizes));
  const THPObjectPtr strides(lists_to_python(input.strides));
  const THPObjectPtr value(value_to_python(input.value));
  if (!dtypes || !sizes || !strides || !value) return nullptr;
  const int kind = static_cast<int>(input.kind);
  return Py_BuildValue("(iOOOO)", kind, dtypes.get(), sizes.get(), strides.get(), value.get());
}

} // namespace

std::vector<ProfiledInput> profiled_inputs(const jit::Stack& stack, size_t arguments) {
  std::vector<ProfiledInput> found;
  found.reserve(arguments);
  for (size_t i = stack.size() - arguments; i < stack.size(); ++i)
    found.push_back(input_of(stack[i]));
  return found;
}

std::vector<ProfiledInput> profiled_inputs(const std::vector<at::Tensor>& tensors) {
  std::vector<ProfiledInput> found;
  found.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors)
    found.push_back(input_of(c10::IValue(tensor)));
  return found;
}

PyObject* inputs_to_python(const std::vector<ProfiledInput>& inputs) {
  THPObjectPtr found(PyList_New(static_cast<Py_ssize_t>(inputs.size())));
  if (!found) return nullptr;
  for (size_t i = 0; i < inputs.size(); ++i) {
    PyObject* const input = input_to_python(inputs[i]);
    if (!input) return nullptr;
    PyList_SET_ITEM(found.get(), static_cast<Py_ssize_t>(i), input);
  }
  return found.release();
}

} // namespace torch::autograd
