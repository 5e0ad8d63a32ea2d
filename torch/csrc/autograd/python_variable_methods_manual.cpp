// Methods whose Python signature the schema language cannot express, or that never reach an
// operator.
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/is_nonzero_ops.h>
#include <ATen/ops/nonzero_numpy_ops.h>
#include <ATen/ops/nonzero_ops.h>
#include <ATen/ops/resolve_conj_ops.h>
#include <ATen/ops/resolve_neg_ops.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/python_variable_convert.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_torch_dispatch.h>
#include <torch/csrc/utils/tensor_list.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/tensor_numpy.h>

namespace torch::autograd {
namespace {

const at::Tensor& unpack(PyObject* self) {
  return THPVariable_Unpack(self);
}

#define ARGUMENTS PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

// Returns the result of a mode, or of the receiver's type, if it overrides the method.
#define RETURN_IF_OVERRIDDEN(name)                                     \
  if (!THPVariable_CheckExact(self)) [[unlikely]] {                    \
    HANDLE_TH_ERRORS                                                   \
    if (PyObject* result = method_override(self, name)) return result; \
    END_HANDLE_TH_ERRORS                                               \
  }

// size() and stride(): all values as a tuple, or one dimension.
PyObject* size(ARGUMENTS) {
  HANDLE_TH_ERRORS
  if (nargs == 0 && !kwnames && THPVariable_CheckExact(self))
    return THPSize_New(unpack(self).sizes());
  if (nargs == 1 && !kwnames && PyLong_CheckExact(args[0]) && THPVariable_CheckExact(self)) {
    return wrap(unpack(self).size(unpack_long(args[0])));
  }
  static constexpr Parameter parameters[] = {
      {"dim", ParameterType::Int, kHasDefault | kAllowNone, 0}};
  static constexpr Signature signatures[] = {{"(int dim = None)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("size", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  return r.has(0) ? wrap(unpack(self).size(r.integer(0))) : THPSize_New(unpack(self).sizes());
  END_HANDLE_TH_ERRORS
}

PyObject* stride(ARGUMENTS) {
  HANDLE_TH_ERRORS
  if (nargs == 0 && !kwnames && THPVariable_CheckExact(self))
    return THPTuple_New(unpack(self).strides());
  static constexpr Parameter parameters[] = {
      {"dim", ParameterType::Int, kHasDefault | kAllowNone, 0}};
  static constexpr Signature signatures[] = {{"(int dim = None)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("stride", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  return r.has(0) ? wrap(unpack(self).stride(r.integer(0))) : THPTuple_New(unpack(self).strides());
  END_HANDLE_TH_ERRORS
}

PyObject* dim(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("dim");
  return PyLong_FromLongLong(unpack(self).dim());
}
PyObject* numel(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("numel");
  return PyLong_FromLongLong(unpack(self).numel());
}
PyObject* element_size(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("element_size");
  return PyLong_FromLongLong(unpack(self).element_size());
}
PyObject* storage_offset(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("storage_offset");
  return PyLong_FromLongLong(unpack(self).storage_offset());
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("data_ptr");
  return PyLong_FromVoidPtr(unpack(self).data_ptr());
}
// No dimension has a name.
#define CONSTANT(name, result)                \
  PyObject* name(PyObject* self, PyObject*) { \
    RETURN_IF_OVERRIDDEN(#name);              \
    return Py_NewRef(result);                 \
  }
CONSTANT(is_shared, Py_False)
CONSTANT(has_names, Py_False)
#undef CONSTANT

// Whether a conjugation or negation is pending, and the tensor after it. Nothing is pending for
// most tensors, which are returned as they are.
#define PENDING(predicate, resolve)                                               \
  PyObject* predicate(PyObject* self, PyObject*) {                                \
    RETURN_IF_OVERRIDDEN(#predicate);                                             \
    return PyBool_FromLong(unpack(self).predicate());                             \
  }                                                                               \
  PyObject* resolve(PyObject* self, PyObject*) {                                  \
    RETURN_IF_OVERRIDDEN(#resolve);                                               \
    HANDLE_TH_ERRORS                                                              \
    return unpack(self).predicate() ? wrap(at::_ops::resolve::call(unpack(self))) \
                                    : Py_NewRef(self);                            \
    END_HANDLE_TH_ERRORS                                                          \
  }
PENDING(is_conj, resolve_conj)
PENDING(is_neg, resolve_neg)
#undef PENDING

PyObject* get_device(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("get_device");
  const at::Tensor& tensor = unpack(self);
  return PyLong_FromLong(tensor.is_cpu() ? -1 : tensor.device().index());
}

PyObject* item(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("item");
  HANDLE_TH_ERRORS
  return item_of(unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* tolist(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("tolist");
  HANDLE_TH_ERRORS
  return list_of(unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* is_nonzero(PyObject* self, PyObject*) {
  RETURN_IF_OVERRIDDEN("is_nonzero");
  const int truth = variable_bool(self);
  return truth < 0 ? nullptr : PyBool_FromLong(truth);
}

constexpr uint8_t kKeyword = kHasDefault | kAllowNone | kKeywordOnly;

PyObject* is_contiguous(ARGUMENTS) {
  HANDLE_TH_ERRORS
  if (nargs == 0 && !kwnames && THPVariable_CheckExact(self))
    return wrap(unpack(self).is_contiguous());
  static constexpr Parameter parameters[] = {
      {"memory_format", ParameterType::MemoryFormat, kKeyword, 0}};
  static constexpr Signature signatures[] = {
      {"(*, torch.memory_format memory_format = torch.contiguous_format)", parameters, 1, 0,
       false}};
  static constexpr PythonArgParser parser("is_contiguous", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  return wrap(unpack(self).is_contiguous(r.memory_format(0, c10::MemoryFormat::Contiguous)));
  END_HANDLE_TH_ERRORS
}

PyObject* contiguous(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"memory_format", ParameterType::MemoryFormat, kKeyword, 0}};
  static constexpr Signature signatures[] = {
      {"(*, torch.memory_format memory_format = torch.contiguous_format)", parameters, 1, 0,
       false}};
  static constexpr PythonArgParser parser("contiguous", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  const auto format = r.memory_format(0, c10::MemoryFormat::Contiguous);
  if (unpack(self).is_contiguous(format)) return Py_NewRef(self);
  ReleaseGil gil(unpack(self));
  at::Tensor result = unpack(self).contiguous(format);
  gil.acquire();
  return wrap(std::move(result));
  END_HANDLE_TH_ERRORS
}

PyObject* nonzero(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"as_tuple", ParameterType::Bool, kHasDefault | kKeywordOnly, 0}};
  static constexpr Signature signatures[] = {
      {"(*, bool as_tuple = False)", parameters, 1, 0, false}};
  static constexpr PythonArgParser parser("nonzero", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  const bool as_tuple = r.boolean(0, false);
  ReleaseGil gil(unpack(self));
  if (as_tuple) {
    auto result = at::_ops::nonzero_numpy::call(unpack(self));
    gil.acquire();
    return wrap(std::move(result));
  }
  auto result = at::_ops::nonzero::call(unpack(self));
  gil.acquire();
  return wrap(std::move(result));
  END_HANDLE_TH_ERRORS
}

PyObject* untyped_storage(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return THPStorage_Wrap(unpack(self).storage());
  END_HANDLE_TH_ERRORS
}

PyObject* is_set_to(PyObject* self, PyObject* other) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(other))
    throw_python(PyExc_TypeError, "is_set_to(): argument must be Tensor");
  const at::Tensor &a = unpack(self), &b = unpack(other);
  return wrap(
      a.is_alias_of(b) && a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() &&
      a.strides() == b.strides());
  END_HANDLE_TH_ERRORS
}

// Without PythonArgParser, which would hand a `data` that overrides functions to its class.
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"cls", "data", "require_grad", nullptr};
  PyObject *type = nullptr, *data = nullptr, *require_grad = Py_False;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OO|O:_make_subclass", const_cast<char**>(names), &type, &data,
          &require_grad)) {
    return nullptr;
  }
  if (!THPVariable_Check(data)) {
    throw_python(
        PyExc_TypeError, "_make_subclass(): argument 'data' (position 2) must be Tensor, not %s",
        Py_TYPE(data)->tp_name);
  }
  if (!PyBool_Check(require_grad)) {
    throw_python(
        PyExc_TypeError,
        "_make_subclass(): argument 'require_grad' (position 3) must be bool, not %s",
        Py_TYPE(require_grad)->tp_name);
  }
  PyTypeObject* tensor_type = require_tensor_class(type);
  at::Tensor tensor = at::_ops::detach::call(unpack(data));
  tensor.unsafeGetTensorImpl()->set_allow_tensor_metadata_change(true);
  tensor.set_requires_grad(require_grad == Py_True);
  return THPVariable_NewWithVar(tensor_type, std::move(tensor));
  END_HANDLE_TH_ERRORS
}

PyObject* as_subclass(PyObject* self, PyObject* type) {
  HANDLE_TH_ERRORS
  return THPVariable_NewWithVar(require_tensor_class(type), at::_ops::alias::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* numpy(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"force", ParameterType::Bool, kHasDefault | kKeywordOnly, 0}};
  static constexpr Signature signatures[] = {{"(*, bool force = False)", parameters, 1, 0, false}};
  static constexpr PythonArgParser parser("numpy", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden)
    return parser.call_override(self, args, nargs, kwnames);
  return tensor_to_numpy(self, r.boolean(0, false));
  END_HANDLE_TH_ERRORS
}

#define KEYWORDS METH_FASTCALL | METH_KEYWORDS
} // namespace

PyMethodDef manual_variable_methods[] = {
    {"size", method(size), KEYWORDS,
     "size(dim=None) -> torch.Size or int\n"
     "\n"
     "Return the sizes of all dimensions, or the size of one.\n"
     "\n"
     "Raises:\n"
     "    IndexError: If `dim` is out of range.\n"
     "\n"
     "Example:\n"
     "    >>> torch.zeros(2, 3).size(), torch.zeros(2, 3).size(-1)\n"
     "    (torch.Size([2, 3]), 3)"},
    {"stride", method(stride), KEYWORDS,
     "stride(dim=None) -> tuple or int\n"
     "\n"
     "Return how many elements of memory lie between neighbors, for all dimensions or one.\n"
     "\n"
     "Raises:\n"
     "    IndexError: If `dim` is out of range.\n"
     "\n"
     "Example:\n"
     "    >>> torch.zeros(2, 3).stride()\n"
     "    (3, 1)"},
    {"dim", dim, METH_NOARGS,
     "dim() -> int\n"
     "\n"
     "Return the number of dimensions."},
    {"ndimension", dim, METH_NOARGS,
     "ndimension() -> int\n"
     "\n"
     "Return the number of dimensions. The same as :meth:`Tensor.dim`."},
    {"numel", numel, METH_NOARGS,
     "numel() -> int\n"
     "\n"
     "Return the number of elements."},
    {"nelement", numel, METH_NOARGS,
     "nelement() -> int\n"
     "\n"
     "Return the number of elements. The same as :meth:`Tensor.numel`."},
    {"element_size", element_size, METH_NOARGS,
     "element_size() -> int\n"
     "\n"
     "Return the size of one element in bytes."},
    {"storage_offset", storage_offset, METH_NOARGS,
     "storage_offset() -> int\n"
     "\n"
     "Return the position of the first element in the storage, counted in elements.\n"
     "\n"
     "Example:\n"
     "    >>> torch.arange(5)[2:].storage_offset()\n"
     "    2"},
    {"data_ptr", data_ptr, METH_NOARGS,
     "data_ptr() -> int\n"
     "\n"
     "Return the address of the first element."},
    {"get_device", get_device, METH_NOARGS,
     "get_device() -> int\n"
     "\n"
     "Return the index of the device; -1 for a CPU."},
    {"item", item, METH_NOARGS,
     "item() -> Number\n"
     "\n"
     "Return the only element as a Python number.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If there is not exactly one element.\n"
     "\n"
     "Example:\n"
     "    >>> torch.tensor([2.5]).item()\n"
     "    2.5"},
    {"tolist", tolist, METH_NOARGS,
     "tolist() -> list or Number\n"
     "\n"
     "Return the elements as nested lists of Python numbers; as one number without dimensions.\n"
     "\n"
     "Example:\n"
     "    >>> torch.tensor([[1, 2], [3, 4]]).tolist()\n"
     "    [[1, 2], [3, 4]]"},
    {"is_nonzero", is_nonzero, METH_NOARGS,
     "is_nonzero() -> bool\n"
     "\n"
     "Return whether the only element differs from 0.\n"
     "\n"
     "See :func:`torch.is_nonzero`."},
    {"is_contiguous", method(is_contiguous), KEYWORDS,
     "is_contiguous(*, memory_format=torch.contiguous_format) -> bool\n"
     "\n"
     "Return whether the elements lie in memory without gaps, in the order of a memory format.\n"
     "\n"
     "Example:\n"
     "    >>> torch.zeros(2, 3).T.is_contiguous()\n"
     "    False"},
    {"contiguous", method(contiguous), KEYWORDS,
     "contiguous(*, memory_format=torch.contiguous_format) -> Tensor\n"
     "\n"
     "Return the tensor if it is contiguous in a memory format, else a copy that is.\n"
     "\n"
     "Example:\n"
     "    >>> torch.zeros(2, 3).T.contiguous().stride()\n"
     "    (2, 1)"},
    {"nonzero", method(nonzero), KEYWORDS,
     "nonzero(*, as_tuple=False) -> Tensor or tuple of Tensors\n"
     "\n"
     "Return the indices of the elements that are not 0.\n"
     "\n"
     "See :func:`torch.nonzero`."},
    {"untyped_storage", untyped_storage, METH_NOARGS,
     "untyped_storage() -> torch.UntypedStorage\n"
     "\n"
     "Return the memory that holds the elements, which views share."},
    {"is_set_to", is_set_to, METH_O,
     "is_set_to(tensor) -> bool\n"
     "\n"
     "Return whether another tensor has the same storage, offset, sizes and strides."},
    {"is_shared", is_shared, METH_NOARGS,
     "is_shared() -> bool\n"
     "\n"
     "Return whether other processes share the memory."},
    {"is_conj", is_conj, METH_NOARGS,
     "is_conj() -> bool\n"
     "\n"
     "Return whether a conjugation of the tensor is pending."},
    {"is_neg", is_neg, METH_NOARGS,
     "is_neg() -> bool\n"
     "\n"
     "Return whether a negation of the tensor is pending."},
    {"has_names", has_names, METH_NOARGS,
     "has_names() -> bool\n"
     "\n"
     "Return whether the dimensions have names."},
    {"resolve_conj", resolve_conj, METH_NOARGS,
     "resolve_conj() -> Tensor\n"
     "\n"
     "Return a tensor whose conjugation, if any is pending, has been carried out."},
    {"resolve_neg", resolve_neg, METH_NOARGS,
     "resolve_neg() -> Tensor\n"
     "\n"
     "Return a tensor whose negation, if any is pending, has been carried out."},
    {"_make_subclass", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(make_subclass)),
     METH_VARARGS | METH_KEYWORDS | METH_STATIC, nullptr},
    {"_make_wrapper_subclass", method(make_wrapper_subclass), KEYWORDS | METH_STATIC, nullptr},
    {"as_subclass", as_subclass, METH_O,
     "as_subclass(cls) -> Tensor\n"
     "\n"
     "Return the same data as an object of a subclass of Tensor, as part of the graph.\n"
     "\n"
     "Raises:\n"
     "    TypeError: If `cls` is not a subclass of Tensor."},
    {"numpy", method(numpy), KEYWORDS,
     "numpy(*, force=False) -> numpy.ndarray\n"
     "\n"
     "Return the elements as a NumPy array over the same memory.\n"
     "\n"
     "Args:\n"
     "    force: Whether to detach the tensor and to copy it to the CPU if necessary.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the tensor requires a gradient, unless `force` is True.\n"
     "    TypeError: If NumPy has no such dtype, or if the tensor is not on the CPU, unless "
     "`force` is\n"
     "        True.\n"
     "\n"
     "Example:\n"
     "    >>> torch.tensor([1, 2]).numpy()\n"
     "    array([1, 2])"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::autograd
