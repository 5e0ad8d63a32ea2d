#include <torch/csrc/utils/tensor_numpy.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/MathBits.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/to.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/foreign_memory.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

namespace torch {
namespace {

struct TypeString {
  at::ScalarType type;
  const char* text; // type code of the array interface, without byte order
};

constexpr TypeString kTypeStrings[] = {
    {at::ScalarType::Bool, "b1"},         {at::ScalarType::Byte, "u1"},
    {at::ScalarType::Char, "i1"},         {at::ScalarType::Short, "i2"},
    {at::ScalarType::Int, "i4"},          {at::ScalarType::Long, "i8"},
    {at::ScalarType::UInt16, "u2"},       {at::ScalarType::UInt32, "u4"},
    {at::ScalarType::UInt64, "u8"},       {at::ScalarType::Half, "f2"},
    {at::ScalarType::Float, "f4"},        {at::ScalarType::Double, "f8"},
    {at::ScalarType::ComplexFloat, "c8"}, {at::ScalarType::ComplexDouble, "c16"}};

const char* type_string(at::ScalarType type) {
  for (const TypeString& row : kTypeStrings) {
    if (row.type == type) return row.text;
  }
  throw_python(PyExc_TypeError, "Got unsupported ScalarType %s", c10::toString(type));
}

// Throws the error that there is no dtype for the elements of an array.
[[noreturn]] void throw_unsupported_type(PyObject* array, const char* text) {
  const THPObjectPtr dtype(PyObject_GetAttrString(array, "dtype"));
  const THPObjectPtr type(dtype.get() ? PyObject_GetAttrString(dtype.get(), "type") : nullptr);
  PyErr_Clear();
  const bool named = type.get() && PyType_Check(type.get());
  throw_python(
      PyExc_TypeError,
      "can't convert np.ndarray of type %s. The only supported types are: float64, float32, "
      "float16, "
      "complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.",
      named ? reinterpret_cast<PyTypeObject*>(type.get())->tp_name : text);
}

// The C form of the array interface, which a capsule in __array_struct__ holds.
// https://numpy.org/doc/stable/reference/arrays.interface.html#c-struct-access
struct ArrayStruct {
  int two; // tells that this is such a structure
  int dims;
  char kind;
  int item_size;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides; // in bytes
  void* data;
  PyObject* description;
};

constexpr int kAligned = 0x100, kNativeByteOrder = 0x200, kWriteable = 0x400;

// numpy.asarray, kept for as long as the process runs.
PyObject* asarray() {
  static PyObject* const function = [] {
    const THPObjectPtr module(PyImport_ImportModule("numpy"));
    if (!module) {
      PyErr_Clear();
      throw_python(PyExc_RuntimeError, "Numpy is not available");
    }
    return checked(PyObject_GetAttrString(module.get(), "asarray"));
  }();
  return function;
}

// The object that numpy.asarray reads. The array keeps it alive, and it keeps the tensor's memory.
struct TensorArray {
  PyObject_HEAD PyObject* owner;
  ArrayStruct content;
  c10::SmallVector<Py_intptr_t, 8> extents; // sizes, then strides
};

void array_dealloc(PyObject* self) {
  auto* array = reinterpret_cast<TensorArray*>(self);
  Py_XDECREF(array->owner);
  std::destroy_at(&array->extents);
  Py_TYPE(self)->tp_free(self);
}

PyObject* array_struct(PyObject* self, void*) {
  return PyCapsule_New(&reinterpret_cast<TensorArray*>(self)->content, nullptr, nullptr);
}

PyGetSetDef array_getters[] = {
    {"__array_struct__", array_struct, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject* array_type() {
  static PyTypeObject type = static_type("torch._C._TensorArray", sizeof(TensorArray));
  if (!type.tp_getset) {
    type.tp_dealloc = array_dealloc;
    type.tp_getset = array_getters;
    checked(PyType_Ready(&type));
  }
  return &type;
}

PyObject* array_over(const at::Tensor& tensor, PyObject* owner) {
  TORCH_CHECK(
      tensor.data_ptr() || tensor.numel() == 0,
      ".numpy() is not supported for tensor subclasses without memory");
  const char* type = type_string(tensor.scalar_type());
  auto* array = PyObject_New(TensorArray, array_type());
  if (!array) throw_python_error();
  std::construct_at(&array->extents);
  array->owner = Py_NewRef(owner);
  const int64_t item = tensor.element_size();
  array->extents.append(tensor.sizes().begin(), tensor.sizes().end());
  for (const int64_t stride : tensor.strides())
    array->extents.push_back(stride * item);
  // An empty tensor has no memory, but the interface requires a pointer.
  static char nothing;
  array->content = {
      2,
      static_cast<int>(tensor.dim()),
      type[0],
      static_cast<int>(item),
      kAligned | kNativeByteOrder | kWriteable,
      array->extents.data(),
      array->extents.data() + tensor.dim(),
      tensor.data_ptr() ? tensor.data_ptr() : &nothing,
      nullptr};
  return reinterpret_cast<PyObject*>(array);
}

void release_object(void* object) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

at::Tensor tensor_over(
    void* data, at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType type,
    PyObject* owner) {
  return tensor_over_memory(data, sizes, strides, type, Py_NewRef(owner), release_object);
}

int64_t int_at(PyObject* tuple, Py_ssize_t i) {
  const THPObjectPtr item(checked(PySequence_GetItem(tuple, i)));
  return unpack_long(item.get());
}

int64_t in_elements(int64_t stride, int64_t item_size) {
  if (stride % item_size != 0) {
    throw_python(
        PyExc_ValueError,
        "given numpy array strides not a multiple of the element byte size. Copy the numpy array "
        "to reallocate the memory.");
  }
  if (stride < 0) {
    throw_python(
        PyExc_ValueError,
        "At least one stride in the given numpy array is negative, and tensors with negative "
        "strides are not currently supported. (You can probably work around this by making a "
        "copy "
        "of your array  with array.copy().) ");
  }
  return stride / item_size;
}

void warn_not_writeable() {
  checked(PyErr_WarnEx(
      PyExc_UserWarning,
      "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. "
      "This means writing to this tensor will result in undefined behavior. You may want to copy "
      "the array to protect its data or make it writable before converting it to a tensor.",
      1));
}

// The tensor over an object that has the C structure, of a type that tensors have; else nothing.
std::optional<at::Tensor> from_struct(PyObject* object, PyObject* owner, bool warn) {
  const THPObjectPtr capsule(PyObject_GetAttrString(object, "__array_struct__"));
  if (!capsule) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto* array = static_cast<const ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!array) throw_python_error();
  const auto has_its_type = [array](const TypeString& row) {
    return row.text[0] == array->kind && std::atoi(row.text + 1) == array->item_size;
  };
  const auto* row = std::find_if(std::begin(kTypeStrings), std::end(kTypeStrings), has_its_type);
  if (row == std::end(kTypeStrings) || !(array->flags & kNativeByteOrder)) return std::nullopt;
  if (warn && !(array->flags & kWriteable)) warn_not_writeable();
  c10::SmallVector<int64_t, 6> sizes(array->dims), steps(array->dims);
  for (int i = 0; i < array->dims; ++i) {
    sizes[i] = array->shape[i];
    steps[i] = in_elements(array->strides[i], array->item_size);
  }
  return tensor_over(array->data, sizes, steps, row->type, owner);
}

at::Tensor from_interface(PyObject* interface, PyObject* owner, bool warn) {
  PyObject* shape = PyDict_GetItemString(interface, "shape");
  PyObject* type = PyDict_GetItemString(interface, "typestr");
  PyObject* data = PyDict_GetItemString(interface, "data");
  PyObject* strides = PyDict_GetItemString(interface, "strides");
  if (!shape || !type || !data || !PyTuple_Check(data)) {
    throw_python(PyExc_TypeError, "the object's __array_interface__ is incomplete");
  }
  const char* text = PyUnicode_AsUTF8(type);
  if (!text) throw_python_error();
  const at::ScalarType dtype = scalar_type_of_array(owner, text);
  const int64_t item_size = static_cast<int64_t>(c10::elementSize(dtype));
  const Py_ssize_t dims = PySequence_Size(shape);
  c10::SmallVector<int64_t, 6> sizes(dims), steps(dims);
  int64_t expected = 1;
  for (Py_ssize_t i = dims - 1; i >= 0; --i) {
    sizes[i] = int_at(shape, i);
    steps[i] = expected;
    expected *= sizes[i];
  }
  for (Py_ssize_t i = 0; strides && strides != Py_None && i < dims; ++i) {
    steps[i] = in_elements(int_at(strides, i), item_size);
  }
  if (warn && PyTuple_GET_ITEM(data, 1) == Py_True) warn_not_writeable();
  void* pointer = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  if (PyErr_Occurred()) throw_python_error();
  return tensor_over(pointer, sizes, steps, dtype, owner);
}

// The interface omits the strides of a contiguous array; those of an empty one are not the usual
// ones.
void keep_strides(const at::Tensor& tensor, PyObject* array) {
  const THPObjectPtr strides(checked(PyObject_GetAttrString(array, "strides")));
  c10::SmallVector<int64_t, 6> steps;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(strides.get()); ++i) {
    steps.push_back(int_at(strides.get(), i) / tensor.element_size());
  }
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(
      c10::SmallVector<int64_t, 6>(tensor.sizes().begin(), tensor.sizes().end()), steps);
}

} // namespace

PyObject* tensor_to_numpy(PyObject* object, bool force) {
  const at::Tensor& tensor = THPVariable_Unpack(object);
  if (tensor.is_meta()) {
    throw_python(
        PyExc_TypeError,
        "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
        "host memory first.");
  }
  TORCH_CHECK_TYPE(
      tensor.is_cpu() || force, "can't convert ", tensor.device(),
      " device type tensor to numpy. Use "
      "Tensor.cpu() to copy the tensor to host memory first.");
  if (!tensor.is_cpu()) {
    const at::AutoDispatchBelowADInplaceOrView values_only;
    const at::Tensor copy = at::methods::to(tensor, at::Device(at::kCPU), tensor.scalar_type());
    const THPObjectPtr on_host(THPVariable_Wrap(copy));
    return on_host ? tensor_to_numpy(on_host.get(), force) : nullptr;
  }
  TORCH_CHECK(
      force || !(tensor.requires_grad() && c10::GradMode::is_enabled()),
      "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  if (at::native::has_math_bits(tensor)) {
    TORCH_CHECK(
        force || !tensor.is_conj(),
        "Can't call numpy() on Tensor that has conjugate bit set. Use "
        "tensor.resolve_conj().numpy() instead.");
    TORCH_CHECK(
        force,
        "Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() "
        "instead.");
    const at::AutoDispatchBelowADInplaceOrView values_only;
    const THPObjectPtr copy(THPVariable_Wrap(at::_ops::clone::call(tensor, std::nullopt)));
    return copy ? tensor_to_numpy(copy.get(), force) : nullptr;
  }
  PyObject* const make = asarray();
  const THPObjectPtr array(array_over(tensor, object));
  // Moving the memory would leave the array without any.
  tensor.storage().unsafeGetStorageImpl()->set_resizable(false);
  return checked(PyObject_CallOneArg(make, array.get()));
}

bool is_integer_array(PyObject* object) {
  if (!is_numpy_array(object)) return false;
  const THPObjectPtr index(PyNumber_Index(object));
  if (!index) PyErr_Clear();
  return index.get() != nullptr;
}

bool is_numpy_array(PyObject* object) {
  for (const PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base) {
    if (std::strcmp(type->tp_name, "numpy.ndarray") == 0) return true;
  }
  return std::strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0 && PySequence_Check(object);
}

at::Tensor tensor_from_numpy(PyObject* array, bool warn_if_not_writeable) {
  if (!is_numpy_array(array) && !PyObject_HasAttrString(array, "__array_interface__")) {
    throw_python(PyExc_TypeError, "expected np.ndarray (got %s)", Py_TYPE(array)->tp_name);
  }
  if (auto tensor = from_struct(array, array, warn_if_not_writeable)) return *std::move(tensor);
  const THPObjectPtr interface(checked(PyObject_GetAttrString(array, "__array_interface__")));
  at::Tensor tensor = from_interface(interface.get(), array, warn_if_not_writeable);
  if (tensor.numel() == 0) keep_strides(tensor, array);
  return tensor;
}

std::optional<at::Tensor> tensor_from_array_interface(PyObject* object) {
  const THPObjectPtr interface(PyObject_GetAttrString(object, "__array_interface__"));
  if (!interface) {
    PyErr_Clear();
    return std::nullopt;
  }
  // NumPy scalars return a new array that only the dictionary keeps alive.
  at::Tensor tensor = from_interface(interface.get(), interface.get(), false);
  return is_numpy_scalar(object) ? at::_ops::clone::call(tensor, std::nullopt)
                                 : from_interface(interface.get(), object, false);
}

at::ScalarType scalar_type_of_array(PyObject* array, const char* code) {
  if (*code == '>') {
    throw_python(
        PyExc_ValueError,
        "given numpy array has byte order different from the native byte order. Conversion between "
        "byte orders is currently not supported.");
  }
  for (const TypeString& row : kTypeStrings) {
    if (std::strcmp(row.text, code + 1) == 0) return row.type;
  }
  throw_unsupported_type(array, code);
}

at::Tensor tensor_from_buffer(
    PyObject* buffer, at::ScalarType dtype, int64_t count, int64_t offset) {
  if (!PyObject_CheckBuffer(buffer)) {
    throw_python(PyExc_ValueError, "object does not implement Python buffer protocol.");
  }
  Py_buffer view;
  if (PyObject_GetBuffer(buffer, &view, PyBUF_WRITABLE) < 0) {
    PyErr_Clear();
    checked(PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE));
    TORCH_WARN_ONCE(
        "The given buffer is not writable, and PyTorch does not support non-writable tensors. "
        "This means you can write to the underlying (supposedly non-writable) buffer using the "
        "tensor. You may want to copy the buffer to protect its data or make it writable before "
        "converting it to a tensor. This type of warning will be suppressed for the rest of this "
        "program.");
  }
  const int64_t bytes = view.len, item = static_cast<int64_t>(c10::elementSize(dtype));
  void* data = view.buf;
  PyBuffer_Release(&view);
  TORCH_CHECK_VALUE(
      bytes > 0 && count != 0, "both buffer length (", bytes, ") and count (", count,
      ") must not be 0");
  TORCH_CHECK_VALUE(
      offset >= 0 && offset < bytes, "offset (", offset,
      " bytes) must be non-negative and no greater than "
      "buffer length (",
      bytes, " bytes) minus 1");
  TORCH_CHECK_VALUE(
      count > 0 || (bytes - offset) % item == 0, "buffer length (", bytes - offset,
      " bytes) after offset (", offset, " bytes) must be a multiple of element size (", item, ")");
  const int64_t length = count < 0 ? (bytes - offset) / item : count;
  TORCH_CHECK_VALUE(
      offset + length * item <= bytes, "requested buffer length (", length, " * ", item,
      " bytes) after offset (", offset, " bytes) must not be greater than actual buffer length (",
      bytes, " bytes)");
  const int64_t stride = 1;
  return tensor_over(static_cast<char*>(data) + offset, length, stride, dtype, buffer);
}

} // namespace torch
