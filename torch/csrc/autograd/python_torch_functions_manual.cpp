// torch.* functions whose Python signature the schema language cannot express: those that take
// data.
#include <ATen/ops/clone.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/lift_fresh_ops.h>
#include <ATen/ops/nonzero_numpy_ops.h>
#include <ATen/ops/nonzero_ops.h>
#include <ATen/ops/set_ops.h>
#include <ATen/ops/to_ops.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/autograd/python_method_tables.h>
#include <torch/csrc/autograd/python_torch_functions.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/dlpack.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/tensor_numpy.h>

#include <cstring>
#include <utility>
#include <vector>

namespace torch::autograd {
namespace {

#define ARGUMENTS PyObject *, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

constexpr uint8_t kKeyword = kHasDefault | kAllowNone | kKeywordOnly;

// Inside torch.func.functionalize, new tensors are functional. Modes of __torch_dispatch__ see that
// the program creates a tensor: one that records operators must not take it for a constant.
at::Tensor lifted(at::Tensor fresh) {
  constexpr c10::DispatchKeySet watching(
      {c10::DispatchKey::Functionalize, c10::DispatchKey::Python});
  const c10::DispatchKeySet included = c10::impl::tls_local_dispatch_key_set().included_;
  if (!(included & watching).empty()) return at::_ops::lift_fresh::call(fresh);
  return fresh;
}

at::Tensor pinned(const at::Tensor& made) {
  at::Tensor copy =
      at::empty_strided(made.sizes(), made.strides(), made.options().pinned_memory(true));
  return at::methods::copy_(copy, made);
}

PyObject* tensor(ARGUMENTS) {
  HANDLE_TH_ERRORS
  if (nargs == 1 && !kwnames && !THPVariable_Check(args[0])) {
    return wrap(
        lifted(tensor_from_data(args[0], {.dtype = std::nullopt, .device = default_device()})));
  }
  static constexpr Parameter parameters[] = {
      {"data", ParameterType::Object, kRequired, 0},
      {"dtype", ParameterType::ScalarType, kKeyword, 0},
      {"device", ParameterType::Device, kKeyword, 0},
      {"pin_memory", ParameterType::Bool, kKeyword, 0},
      {"requires_grad", ParameterType::Bool, kKeyword, 0}};
  static constexpr Signature signatures[] = {
      {"(object data, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = "
       "False, "
       "bool requires_grad = False)",
       parameters, 5, 1, false}};
  static constexpr PythonArgParser parser("tensor", signatures, 1, kPlain);
  ParsedArgs<5> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  if (THPVariable_Check(r.object(0))) {
    checked(PyErr_WarnEx(
        PyExc_UserWarning,
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() "
        "or "
        "sourceTensor.detach().clone().requires_grad_(True), rather than "
        "torch.tensor(sourceTensor).",
        1));
  }
  NewTensorOptions options;
  options.dtype = r.optional_dtype(1);
  options.device = r.factory_device(2);
  const c10::NoGradGuard copied_without_history;
  at::Tensor made = tensor_from_data(r.object(0), options);
  if (r.boolean(3, false) && made.is_cpu()) made = pinned(made);
  if (!THPVariable_Check(r.object(0))) made = lifted(std::move(made));
  return wrap(r.with_requires_grad(4, std::move(made)));
  END_HANDLE_TH_ERRORS
}

PyObject* as_tensor(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"data", ParameterType::Object, kRequired, 0},
      {"dtype", ParameterType::ScalarType, kHasDefault | kAllowNone, 0},
      {"device", ParameterType::Device, kHasDefault | kAllowNone, 0}};
  static constexpr Signature signatures[] = {
      {"(object data, torch.dtype dtype = None, torch.device device = None)", parameters, 3, 3,
       false}};
  static constexpr PythonArgParser parser("as_tensor", signatures, 1, kPlain);
  ParsedArgs<3> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  NewTensorOptions options;
  options.dtype = r.optional_dtype(1);
  options.device = r.factory_device(2);
  options.share = true;
  at::Tensor made = tensor_from_data(r.object(0), options);
  return wrap(THPVariable_Check(r.object(0)) ? std::move(made) : lifted(std::move(made)));
  END_HANDLE_TH_ERRORS
}

// The tensor over the object's memory, or nullopt if it has none that a tensor can use.
std::optional<at::Tensor> shared_memory(PyObject* object, const NewTensorOptions& options) {
  if (THPVariable_Check(object)) return THPVariable_Unpack(object);
  if (is_numpy_array(object)) return tensor_from_numpy(object, options.share);
  if (auto tensor = tensor_from_dlpack_object(object)) return tensor;
  if (is_storage(object)) return tensor_over_storage(object, options.dtype);
  if (!PyObject_CheckBuffer(object)) return std::nullopt;
  return tensor_from_buffer(object, options.dtype.value_or(at::ScalarType::Float), -1, 0);
}

at::Tensor array_from(PyObject* object, const NewTensorOptions& options, std::optional<bool> copy) {
  const bool must_share = copy && !*copy;
  if (is_numpy_scalar(object)) { // it offers its bytes as a buffer
    TORCH_CHECK(
        !must_share,
        "can't alias NumPy scalars. Either remove copy=False or "
        "transform it in a ndarray. ");
    return tensor_from_data(object, options);
  }
  const std::optional<at::Tensor> shared = shared_memory(object, options);
  if (!shared) {
    TORCH_CHECK_VALUE(!must_share, "can't alias arbitrary sequence into a tensor.");
    return tensor_from_data(object, options);
  }
  const at::ScalarType dtype = options.dtype.value_or(shared->scalar_type());
  const c10::Device device = options.device.value_or(shared->device());
  const bool other_device = device.type() != shared->device().type() ||
      (device.has_index() && device.index() != shared->device().index());
  if (!other_device && dtype == shared->scalar_type()) {
    return options.share ? *shared : at::clone(*shared);
  }
  TORCH_CHECK_VALUE(
      !must_share || !other_device, "can't alias tensor from device '", shared->device(), "' to '",
      device, "'.");
  TORCH_CHECK_VALUE(
      !must_share, "can't alias tensor with dtype '", shared->scalar_type(), "' into dtype '",
      dtype, "'.");
  return at::_ops::to_dtype_layout::call(
      *shared, dtype, std::nullopt, device, std::nullopt, false, !options.share, std::nullopt);
}

// asarray(obj, *, dtype, device, copy): shares memory whenever possible, whatever the object's
// protocol.
PyObject* asarray(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"obj", ParameterType::Object, kRequired, 0},
      {"dtype", ParameterType::ScalarType, kKeyword, 0},
      {"device", ParameterType::Device, kKeyword, 0},
      {"copy", ParameterType::Bool, kKeyword, 0},
      {"requires_grad", ParameterType::Bool, kKeyword, 0}};
  static constexpr Signature signatures[] = {
      {"(object obj, *, torch.dtype dtype = None, torch.device device = None, bool copy = None, "
       "bool "
       "requires_grad = False)",
       parameters, 5, 1, false}};
  static constexpr PythonArgParser parser("asarray", signatures, 1, kPlain);
  ParsedArgs<5> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  NewTensorOptions options;
  options.dtype = r.optional_dtype(1);
  options.device = r.factory_device(2);
  const auto copy = r.optional_boolean(3);
  options.share = !copy.value_or(false);
  at::Tensor tensor = array_from(r.object(0), options, copy);
  if (!THPVariable_Check(r.object(0))) tensor = lifted(std::move(tensor));
  if (tensor.requires_grad()) {
    if (!r.has(4)) {
      TORCH_WARN_ONCE(
          "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of "
          "False. Pass requires_grad=False explicitly to get the old behavior and silence this "
          "warning.");
    } else if (!r.boolean(4)) {
      tensor = at::detach(tensor);
    }
  }
  return wrap(r.with_requires_grad(4, std::move(tensor)));
  END_HANDLE_TH_ERRORS
}

PyObject* from_numpy(PyObject*, PyObject* array) {
  HANDLE_TH_ERRORS
  if (!is_numpy_array(array)) {
    throw_python(PyExc_TypeError, "expected np.ndarray (got %s)", Py_TYPE(array)->tp_name);
  }
  return wrap(lifted(tensor_from_numpy(array)));
  END_HANDLE_TH_ERRORS
}

PyObject* from_dlpack_capsule(PyObject*, PyObject* capsule) {
  HANDLE_TH_ERRORS
  return wrap(tensor_from_dlpack(capsule));
  END_HANDLE_TH_ERRORS
}

PyObject* to_dlpack(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* object = nullptr;
  int versioned = 0;
  if (!PyArg_ParseTuple(args, "O!|p:_to_dlpack", &THPVariableType, &object, &versioned))
    return nullptr;
  return tensor_to_dlpack(THPVariable_Unpack(object), versioned);
  END_HANDLE_TH_ERRORS
}

PyObject* frombuffer(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"buffer", ParameterType::Object, kRequired, 0},
      {"dtype", ParameterType::ScalarType, kKeywordOnly, 0},
      {"count", ParameterType::Int, kHasDefault | kKeywordOnly, 0},
      {"offset", ParameterType::Int, kHasDefault | kKeywordOnly, 0},
      {"requires_grad", ParameterType::Bool, kKeyword, 0}};
  static constexpr Signature signatures[] = {
      {"(object buffer, *, torch.dtype dtype, int count = -1, int offset = 0, bool requires_grad = "
       "False)",
       parameters, 5, 1, false}};
  static constexpr PythonArgParser parser("frombuffer", signatures, 1, kPlain);
  ParsedArgs<5> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  return wrap(r.with_requires_grad(
      4, tensor_from_buffer(r.object(0), r.dtype(1), r.integer(2, -1), r.integer(3, 0))));
  END_HANDLE_TH_ERRORS
}

PyObject* nonzero(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"input", ParameterType::Tensor, kRequired, 0},
      {"out", ParameterType::Tensor, kKeyword, 0},
      {"as_tuple", ParameterType::Bool, kHasDefault | kKeywordOnly, 0}};
  static constexpr Signature signatures[] = {
      {"(Tensor input, *, Tensor out = None, bool as_tuple = False)", parameters, 3, 1, false}};
  static constexpr PythonArgParser parser("nonzero", signatures, 1, kPlain);
  ParsedArgs<3> r;
  if (parser.parse(r, nullptr, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(nullptr, args, nargs, kwnames);
  }
  const at::Tensor& input = r.tensor(0);
  TORCH_CHECK(
      !r.boolean(2, false) || !r.has(1),
      "nonzero does not support the out kwarg when as_tuple is True");
  ReleaseGil gil(input);
  if (r.boolean(2, false)) {
    auto result = at::_ops::nonzero_numpy::call(input);
    gil.acquire();
    return wrap(std::move(result));
  }
  if (r.has(1)) {
    at::_ops::nonzero_out::call(input, r.mutable_tensor(1));
    gil.acquire();
    return Py_NewRef(r.object(1));
  }
  auto result = at::_ops::nonzero::call(input);
  gil.acquire();
  return wrap(std::move(result));
  END_HANDLE_TH_ERRORS
}

PyObject* numel(PyObject*, PyObject* input) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(input)) {
    throw_python(
        PyExc_TypeError, "numel(): argument 'input' (position 1) must be Tensor, not %s",
        Py_TYPE(input)->tp_name);
  }
  return wrap(THPVariable_Unpack(input).numel());
  END_HANDLE_TH_ERRORS
}

constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS | METH_STATIC;

PyMethodDef manual_functions[] = {
    {"tensor", method(tensor), kKeywords,
     "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor\n"
     "\n"
     "Copy data into a new tensor, which is a leaf.\n"
     "\n"
     "Args:\n"
     "    data: A number, nested sequences of numbers, a NumPy array, a tensor, or an object with\n"
     "        `__cuda_array_interface__`, such as a CuPy array.\n"
     "    dtype: The dtype; by default it follows from the data.\n"
     "    device: The device; by default that of the data, or else the current default device.\n"
     "    requires_grad: Whether operations on the result are recorded for gradients.\n"
     "    pin_memory: Whether to use page-locked memory.\n"
     "\n"
     "Raises:\n"
     "    ValueError: If nested sequences have different lengths.\n"
     "    TypeError: If the data contains something other than numbers.\n"
     "\n"
     "Example:\n"
     "    >>> torch.tensor([[1, 2], [3, 4]])\n"
     "    tensor([[1, 2],\n"
     "            [3, 4]])\n"
     "    >>> torch.tensor(2.5, dtype=torch.float64)\n"
     "    tensor(2.5000, dtype=torch.float64)"},
    {"as_tensor", method(as_tensor), kKeywords,
     "as_tensor(data, dtype=None, device=None) -> Tensor\n"
     "\n"
     "Convert data to a tensor, without a copy if possible.\n"
     "\n"
     "A tensor with the dtype and the device is returned as it is, and stays part of its graph. A "
     "NumPy\n"
     "array shares its memory with the result, and so does an object with "
     "`__cuda_array_interface__`.\n"
     "\n"
     "Args:\n"
     "    data: A number, nested sequences of numbers, a NumPy array, a tensor, or an object with\n"
     "        `__cuda_array_interface__`, such as a CuPy array.\n"
     "    dtype: The dtype; by default it follows from the data.\n"
     "    device: The device; by default that of the data, or else the current default device.\n"
     "\n"
     "Example:\n"
     "    >>> x = torch.tensor([1, 2])\n"
     "    >>> torch.as_tensor(x) is x\n"
     "    True"},
    {"asarray", method(asarray), kKeywords,
     "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False) -> Tensor\n"
     "\n"
     "Convert an object to a tensor, sharing its memory if possible.\n"
     "\n"
     "Args:\n"
     "    obj: A tensor, a NumPy array, an object with DLPack, a buffer or "
     "`__cuda_array_interface__`,\n"
     "        a number or nested sequences.\n"
     "    dtype: The dtype; by default it follows from the object.\n"
     "    device: The device; by default that of the object, or else the current default device.\n"
     "    copy: Whether to copy: True always, False never, None if necessary.\n"
     "    requires_grad: Whether operations on the result are recorded for gradients.\n"
     "\n"
     "Raises:\n"
     "    ValueError: If `copy` is False, but a copy is necessary.\n"
     "\n"
     "Example:\n"
     "    >>> torch.asarray([1, 2])\n"
     "    tensor([1, 2])"},
    {"frombuffer", method(frombuffer), kKeywords,
     "frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False) -> Tensor\n"
     "\n"
     "Return a 1-D tensor over the memory of a Python buffer.\n"
     "\n"
     "Args:\n"
     "    buffer: An object with a buffer, such as a bytearray.\n"
     "    dtype: The dtype of the elements.\n"
     "    count: The number of elements; -1 for as many as there are.\n"
     "    offset: The number of bytes to skip.\n"
     "    requires_grad: Whether operations on the result are recorded for gradients.\n"
     "\n"
     "Raises:\n"
     "    ValueError: If the buffer is too small or empty, or if its size is not a multiple of "
     "the\n"
     "        element's.\n"
     "\n"
     "Example:\n"
     "    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8, offset=1)\n"
     "    tensor([2, 3], dtype=torch.uint8)"},
    {"nonzero", method(nonzero), kKeywords,
     "nonzero(input, *, out=None) -> Tensor\n"
     "nonzero(input, *, as_tuple) -> tuple of Tensors\n"
     "\n"
     "Return the indices of the elements that are not 0.\n"
     "\n"
     "Args:\n"
     "    input: A tensor.\n"
     "    as_tuple: Whether to return one tensor of indices for each dimension.\n"
     "\n"
     "Returns:\n"
     "    An int64 tensor of shape (count, dimensions), in the order of the elements; or a tuple "
     "of\n"
     "    tensors of shape (count,), with which `input` can be indexed.\n"
     "\n"
     "Example:\n"
     "    >>> torch.nonzero(torch.tensor([[0, 7], [8, 0]]))\n"
     "    tensor([[0, 1],\n"
     "            [1, 0]])\n"
     "    >>> torch.nonzero(torch.tensor([0, 7, 8]), as_tuple=True)\n"
     "    (tensor([1, 2]),)"},
    {"from_numpy", from_numpy, METH_O | METH_STATIC,
     "from_numpy(ndarray) -> Tensor\n"
     "\n"
     "Return a tensor over the memory of a NumPy array.\n"
     "\n"
     "Raises:\n"
     "    TypeError: If the argument is not an array, or if torch has no such dtype.\n"
     "    ValueError: If a stride of the array is negative.\n"
     "\n"
     "Example:\n"
     "    >>> import numpy\n"
     "    >>> torch.from_numpy(numpy.arange(3))\n"
     "    tensor([0, 1, 2])"},
    {"numel", numel, METH_O | METH_STATIC,
     "numel(input) -> int\n"
     "\n"
     "Return the number of elements of a tensor.\n"
     "\n"
     "Example:\n"
     "    >>> torch.numel(torch.zeros(2, 3))\n"
     "    6"},
    {nullptr, nullptr, 0, nullptr}};

// _legacy_tensor(dtype, args, kwargs)
PyObject* legacy_tensor(PyObject*, PyObject* arguments) {
  HANDLE_TH_ERRORS
  PyObject *dtype = nullptr, *args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(
          arguments, "O!O!O!:_legacy_tensor", &THPDtypeType, &dtype, &PyTuple_Type, &args,
          &PyDict_Type, &kwargs)) {
    return nullptr;
  }
  return wrap(legacy_typed_tensor(unpack_dtype(dtype), args, kwargs));
  END_HANDLE_TH_ERRORS
}

PyMethodDef module_functions[] = {
    {"_legacy_tensor", legacy_tensor, METH_VARARGS, nullptr},
    {"_from_dlpack", from_dlpack_capsule, METH_O, nullptr},
    {"_to_dlpack", to_dlpack, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject functions_type = static_type("torch._C._VariableFunctionsClass", sizeof(PyObject));

// A submodule such as torch._C._nn, built from the tables of its functions.
bool add_submodule(PyObject* module, PyModuleDef& definition, const OperatorModule& added) {
  definition.m_base = PyModuleDef_HEAD_INIT;
  definition.m_name = added.full_name;
  definition.m_size = -1;
  THPObjectPtr submodule(PyModule_Create(&definition));
  if (!submodule) return false;
  // The generated rows are static methods; the functions of a module must not have that flag.
  static std::vector<std::vector<PyMethodDef>> kept;
  for (PyMethodDef* const* table = added.tables; *table; ++table) {
    kept.emplace_back();
    for (const PyMethodDef* row = *table; row->ml_name; ++row) {
      kept.back().push_back(*row);
      kept.back().back().ml_flags &= ~METH_STATIC;
    }
    kept.back().push_back({nullptr, nullptr, 0, nullptr});
    if (PyModule_AddFunctions(submodule.get(), kept.back().data()) < 0) return false;
  }
  const char* name = std::strrchr(added.full_name, '.') + 1;
  return PyModule_AddObjectRef(module, name, submodule.get()) == 0;
}

} // namespace

bool initTorchFunctions(PyObject* module) {
  static std::vector<PyMethodDef> functions;
  const auto add = [](PyMethodDef* table) {
    for (; table->ml_name; ++table)
      functions.push_back(*table);
  };
  add(manual_functions);
  for (PyMethodDef* const* table = torch_method_tables; *table; ++table)
    add(*table);
  functions.push_back({nullptr, nullptr, 0, nullptr});
  functions_type.tp_methods = functions.data();
  if (PyType_Ready(&functions_type) < 0) return false;
  PyObject* type = reinterpret_cast<PyObject*>(&functions_type);
  if (PyModule_AddObjectRef(module, "_VariableFunctionsClass", type) < 0) return false;
  // Static methods need no instance, so the class itself serves as the module of functions.
  return PyModule_AddObjectRef(module, "_VariableFunctions", type) == 0 &&
      PyModule_AddFunctions(module, module_functions) == 0;
}

// Also makes _operator_modules, the names of the modules that have functions: `import torch` offers
// these as torch.nn, torch.linalg, ...
bool initOperatorModules(PyObject* module) {
  static std::vector<PyModuleDef> definitions(operator_modules.size());
  THPObjectPtr names(PyList_New(0));
  if (!names) return false;
  for (size_t i = 0; i < operator_modules.size(); ++i) {
    const OperatorModule& added = operator_modules[i];
    if (!add_submodule(module, definitions[i], added)) return false;
    if (*added.tables == nullptr) continue;
    THPObjectPtr name(PyUnicode_FromString(added.name));
    if (!name || PyList_Append(names.get(), name.get()) < 0) return false;
  }
  THPObjectPtr fixed(PyList_AsTuple(names.get()));
  return fixed && PyModule_AddObjectRef(module, "_operator_modules", fixed.get()) == 0;
}

} // namespace torch::autograd
