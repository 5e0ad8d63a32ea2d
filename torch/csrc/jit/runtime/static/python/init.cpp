#include <torch/csrc/jit/runtime/static/python/init.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/jit/runtime/static/kernels.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_dispatch.h>

#include <algorithm>
#include <string>
#include <vector>

namespace torch::jit::static_runtime {

namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::IValue;

// An argument that is a value of the graph.
struct Slot {
  size_t argument = 0;
  Py_ssize_t value = 0;
};

struct Step {
  Kernel kernel = nullptr;
  c10::OperatorHandle out_variant;
  Stack arguments; // of the out= variant; the values of slots are empty
  std::vector<Slot> slots;
  THPObjectPtr out;
  Py_ssize_t result = 0;
  std::vector<Py_ssize_t> unneeded;
};

struct PythonStep {
  PyObject_HEAD Step* step;
};

// ---- reading ------------------------------------------------------------------------------------

std::vector<Py_ssize_t> to_indices(PyObject* sequence) {
  const THPObjectPtr items(checked(PySequence_Fast(sequence, "expected numbers of values")));
  std::vector<Py_ssize_t> indices;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    indices.push_back(PyLong_AsSsize_t(PySequence_Fast_GET_ITEM(items.get(), i)));
    if (indices.back() == -1 && PyErr_Occurred()) throw_python_error();
  }
  return indices;
}

// From (argument, value).
Slot to_slot(PyObject* pair) {
  const std::vector<Py_ssize_t> numbers = to_indices(pair);
  TORCH_CHECK_VALUE(numbers.size() == 2, "a slot is (argument, value)");
  return {static_cast<size_t>(numbers[0]), numbers[1]};
}

// ---- running ------------------------------------------------------------------------------------

// Returns the value's tensor.
const at::Tensor& tensor_at(PyObject* values, Py_ssize_t number) {
  TORCH_CHECK_INDEX(number < PyList_GET_SIZE(values), "there is no value ", number);
  PyObject* const object = PyList_GET_ITEM(values, number);
  TORCH_CHECK_TYPE(THPVariable_Check(object), "value ", number, " is not a tensor");
  return THPVariable_Unpack(object);
}

bool is_plain(const at::Tensor& tensor) {
  constexpr DispatchKeySet plain{
      DispatchKey::CPU, DispatchKey::AutogradCPU, DispatchKey::ADInplaceOrView};
  return !tensor.defined() || plain.has_all(tensor.key_set());
}

bool is_plain(const IValue& value) {
  if (value.isTensor()) return is_plain(value.toTensor());
  if (!value.isTensorList()) return true;
  const auto tensors = value.toTensorList();
  return std::all_of(
      tensors.begin(), tensors.end(), [](const at::Tensor& t) { return is_plain(t); });
}

// Kernels know neither modes nor tensors that hold other values than their memory.
bool runs_directly(const Stack& arguments) {
  return c10::impl::tls_local_dispatch_key_set().included_ == c10::default_included_set &&
      std::all_of(arguments.begin(), arguments.end(), [](const IValue& value) {
           return is_plain(value);
         });
}

void compute(const Step& step, Stack arguments) {
  const WithoutGil guard;
  if (runs_directly(arguments)) {
    at::Tensor out = arguments.back().toTensor();
    step.kernel(arguments.data(), out);
  } else {
    step.out_variant.callBoxed(arguments);
  }
}

void set(PyObject* values, Py_ssize_t number, PyObject* object) {
  checked(PyList_SetItem(values, number, Py_NewRef(object)));
}

// run(values): compute the result, and forget what nothing needs any more.
PyObject* run(PyObject* self, PyObject* values) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(PyList_Check(values), "run(): argument 'values' must be a list");
  const Step& step = *reinterpret_cast<PythonStep*>(self)->step;
  Stack arguments = step.arguments; // of this call, because threads may share the step
  for (const Slot& slot : step.slots)
    arguments[slot.argument] = tensor_at(values, slot.value);
  compute(step, std::move(arguments));
  set(values, step.result, step.out.get());
  for (const Py_ssize_t number : step.unneeded)
    set(values, number, Py_None);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// ---- the type -----------------------------------------------------------------------------------

c10::OperatorHandle out_variant_of(const std::string& name, const char* overload) {
  const std::string root = name.substr(0, name.find('.'));
  const auto handle = c10::Dispatcher::singleton().findSchema({root, overload});
  TORCH_CHECK(handle, "there is no operator ", root, ".", overload);
  return *handle;
}

// _StaticStep(name, out_overload, args, kwargs, slots, result, unneeded)
PyObject* new_step(PyTypeObject* type, PyObject* args, PyObject*) {
  HANDLE_TH_ERRORS
  const char *name = nullptr, *overload = nullptr;
  PyObject *positional = nullptr, *keywords = nullptr, *slots = nullptr, *unneeded = nullptr;
  Py_ssize_t result = 0;
  if (!PyArg_ParseTuple(
          args, "ssO!O!O!nO:_StaticStep", &name, &overload, &PyTuple_Type, &positional,
          &PyDict_Type, &keywords, &PyList_Type, &slots, &result, &unneeded)) {
    return nullptr;
  }
  const Kernel kernel = find_kernel(name);
  TORCH_CHECK_VALUE(kernel, "there is no generated kernel of ", name);
  const c10::OperatorHandle handle = out_variant_of(name, overload);
  Stack arguments = bind_arguments(handle.schema(), positional, keywords);
  Step step{kernel, handle, std::move(arguments), {}, {}, result, to_indices(unneeded)};
  const std::string& out = handle.schema().arguments().back().name;
  step.out = Py_NewRef(checked(PyDict_GetItemString(keywords, out.c_str())));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(slots); ++i) {
    step.slots.push_back(to_slot(PyList_GET_ITEM(slots, i)));
    const size_t argument = step.slots.back().argument;
    TORCH_CHECK_INDEX(argument + 1 < step.arguments.size(), name, " has no argument ", argument);
    step.arguments[argument] = IValue();
  }
  THPObjectPtr self(checked(type->tp_alloc(type, 0)));
  reinterpret_cast<PythonStep*>(self.get())->step = new Step(std::move(step));
  return self.release();
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  delete reinterpret_cast<PythonStep*>(self)->step;
  Py_TYPE(self)->tp_free(self);
}

PyObject* get_kernel_names(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr names(checked(PyFrozenSet_New(nullptr)));
  for (const std::string& name : kernel_names()) {
    const THPObjectPtr text(checked(PyUnicode_FromString(name.c_str())));
    checked(PySet_Add(names.get(), text.get()));
  }
  return names.release();
  END_HANDLE_TH_ERRORS
}

PyMethodDef step_methods[] = {{"run", run, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyTypeObject step_type = static_type("torch._C._StaticStep", sizeof(PythonStep));
PyMethodDef module_methods[] = {
    {"_static_kernel_names", get_kernel_names, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool init_bindings(PyObject* module) {
  step_type.tp_new = new_step;
  step_type.tp_dealloc = dealloc;
  step_type.tp_methods = step_methods;
  return PyType_Ready(&step_type) == 0 && PyModule_AddType(module, &step_type) == 0 &&
      PyModule_AddFunctions(module, module_methods) == 0;
}

} // namespace torch::jit::static_runtime
