// Tensors of Python subclasses that handle operators themselves and have no memory.
#include <torch/csrc/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_torch_dispatch.h>

#include <c10/core/TensorOptions.h>

namespace torch::autograd {
namespace {

// A storage without memory, of the size that the geometry needs.
c10::Storage phantom_storage(
    at::IntArrayRef size, at::IntArrayRef strides, int64_t offset, at::ScalarType dtype,
    c10::Device device) {
  const size_t bytes = strides.empty() && !size.empty()
      ? c10::computeStorageNbytesContiguous(size, c10::elementSize(dtype), offset)
      : c10::computeStorageNbytes(size, strides, c10::elementSize(dtype), offset);
  return c10::Storage(
      c10::Storage::use_byte_size_t(), bytes, c10::DataPtr(nullptr, device), nullptr, false);
}

PyTypeObject* wrapper_type(PyObject* object) {
  PyTypeObject* type = require_tensor_class(object);
  if (!has_torch_dispatch(type))
    throw_python(PyExc_TypeError, "%s must define __torch_dispatch__", type->tp_name);
  return type;
}

// Without strides, the elements are adjacent.
at::Tensor new_wrapper(
    at::IntArrayRef size, std::optional<at::IntArrayRef> strides, int64_t offset,
    at::ScalarType dtype, c10::Device device) {
  const c10::DispatchKey key =
      c10::TensorOptions().device(device).dtype(dtype).computeDispatchKey();
  at::Tensor tensor = at::Tensor(c10::make_intrusive<c10::TensorImpl>(
      phantom_storage(size, strides.value_or(at::IntArrayRef()), offset, dtype, device),
      c10::DispatchKeySet(key) | c10::inplace_or_view_ks, dtype));
  c10::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (strides) {
    impl->set_sizes_and_strides(size, *strides, offset);
  } else {
    impl->set_sizes_contiguous(size);
    impl->set_storage_offset(offset);
  }
  return tensor;
}

} // namespace

PyObject* wrapper_like(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  if (nargs != 2 || !THPVariable_Check(args[1]))
    throw_python(PyExc_TypeError, "_wrapper_like() takes a class and a tensor");
  PyTypeObject* type = wrapper_type(args[0]);
  const at::Tensor& like = THPVariable_Unpack(args[1]);
  THPObjectPtr attributes(PyDict_New());
  if (!attributes) return nullptr;
  for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, i);
    if (PyDict_SetItem(attributes.get(), name, args[nargs + i]) < 0) return nullptr;
  }
  at::Tensor tensor = new_wrapper(
      like.sizes(), like.strides(), like.storage_offset(), like.scalar_type(), like.device());
  PyObject* object = THPVariable_NewWithVar(type, std::move(tensor));
  if (!object) return nullptr;
  reinterpret_cast<THPVariable*>(object)->dict = attributes.release();
  THPVariable_Track(object);
  return object;
  END_HANDLE_TH_ERRORS
}

PyObject* make_wrapper_subclass(
    PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  constexpr uint8_t kOptional = kHasDefault | kAllowNone;
  static constexpr Parameter parameters[] = {
      {"cls", ParameterType::Object, 0, 0},
      {"size", ParameterType::IntList, 0, 0},
      {"strides", ParameterType::IntList, kOptional, 0},
      {"storage_offset", ParameterType::Int, kOptional, 0},
      {"memory_format", ParameterType::MemoryFormat, kOptional, 0},
      {"dtype", ParameterType::ScalarType, kOptional, 0},
      {"layout", ParameterType::Layout, kOptional, 0},
      {"device", ParameterType::Device, kOptional, 0},
      {"pin_memory", ParameterType::Bool, kOptional, 0},
      {"requires_grad", ParameterType::Bool, kHasDefault, 0},
      {"dispatch_sizes_strides_policy", ParameterType::String, kOptional, 0},
      {"dispatch_device", ParameterType::Bool, kHasDefault, 0},
      {"dispatch_layout", ParameterType::Bool, kHasDefault, 0}};
  static constexpr Signature signatures[] = {
      {"(type cls, IntArrayRef size, IntArrayRef? strides=None, int? storage_offset=None, "
       "MemoryFormat? memory_format=None, ScalarType dtype=None, Layout layout=None, "
       "Device device=None, bool pin_memory=False, bool requires_grad=False)",
       parameters, 13, 13, false}};
  static constexpr PythonArgParser parser("_make_wrapper_subclass", signatures, 1, kPlain);
  ParsedArgs<13> r;
  if (parser.parse(r, nullptr, args, nargs, kwnames) == kOverridden)
    return parser.call_override(nullptr, args, nargs, kwnames);
  PyTypeObject* type = wrapper_type(r.object(0));
  const auto strides = r.optional_int_list(2);
  const at::ScalarType dtype = r.optional_dtype(5).value_or(c10::get_default_dtype_as_scalartype());
  const c10::Device device = r.factory_device(7).value_or(c10::Device(c10::DeviceType::CPU));
  at::Tensor tensor = new_wrapper(
      r.int_list(1), strides ? std::optional<at::IntArrayRef>(*strides) : std::nullopt,
      r.optional_integer(3).value_or(0), dtype, device);
  if (const auto format = r.optional_memory_format(4); format && !strides)
    tensor.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  tensor.set_requires_grad(r.boolean(9, false));
  return THPVariable_NewWithVar(type, std::move(tensor));
  END_HANDLE_TH_ERRORS
}

} // namespace torch::autograd
