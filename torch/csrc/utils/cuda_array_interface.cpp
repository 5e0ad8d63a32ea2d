// https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html, versions 2 and 3.
#include <torch/csrc/utils/cuda_array_interface.h>

#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/foreign_memory.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/utils/tensor_numpy.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace torch {
namespace {

using Sizes = c10::SmallVector<int64_t, 6>;

// Borrowed from the dictionary; null for a missing key.
PyObject* find(PyObject* interface, const char* key) {
  const THPObjectPtr name(checked(PyUnicode_FromString(key)));
  PyObject* value = PyDict_GetItemWithError(interface, name.get());
  if (!value && PyErr_Occurred()) throw_python_error();
  return value;
}

PyObject* require(PyObject* interface, const char* key, const char* message) {
  PyObject* value = find(interface, key);
  if (!value) throw_python(PyExc_TypeError, "%s", message);
  return value;
}

Sizes numbers_of(PyObject* sequence) {
  if (!PySequence_Check(sequence)) {
    throw_python(PyExc_TypeError, "shape and strides must be sequences");
  }
  const THPObjectPtr items(checked(PySequence_Fast(sequence, "not a sequence")));
  Sizes numbers;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    numbers.push_back(unpack_long(PySequence_Fast_GET_ITEM(items.get(), i)));
  }
  return numbers;
}

at::ScalarType dtype_of(PyObject* object, PyObject* code) {
  const char* text = PyUnicode_Check(code) ? PyUnicode_AsUTF8(code) : "";
  if (!text) throw_python_error();
  const size_t length = std::char_traits<char>::length(text);
  const bool known = length >= 3 &&
      std::string_view("<>|=").find(text[0]) != std::string_view::npos &&
      std::string_view("biufcmMOSUVt").find(text[1]) != std::string_view::npos &&
      std::isdigit(static_cast<unsigned char>(text[2]));
  if (!known) throw_python(PyExc_ValueError, "cannot parse `typestr`");
  return scalar_type_of_array(object, text);
}

// In elements, from bytes; those of a contiguous array if there are none.
Sizes strides_of(PyObject* strides, const Sizes& sizes, int64_t item_size) {
  Sizes steps(sizes.size(), 1);
  if (!strides || strides == Py_None) {
    for (size_t i = sizes.size(); i-- > 1;) {
      steps[i - 1] = steps[i] * std::max<int64_t>(sizes[i], 1);
    }
    return steps;
  }
  if (!PySequence_Check(strides) ||
      PySequence_Size(strides) != static_cast<Py_ssize_t>(sizes.size())) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "strides must be a sequence of the same length as shape");
  }
  steps = numbers_of(strides);
  for (int64_t& step : steps) {
    if (step % item_size != 0) {
      throw_python(
          PyExc_ValueError,
          "given array strides not a multiple of the element byte size. Make a copy of the array "
          "to reallocate the memory.");
    }
    if (step < 0) {
      throw_python(
          PyExc_ValueError,
          "given array strides are negative, and tensors with negative strides are not supported. "
          "Make a copy of the array.");
    }
    step /= item_size;
  }
  return steps;
}

void* address_of(PyObject* data) {
  if (!PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2) {
    throw_python(PyExc_TypeError, "`data` must be a 2-tuple of (int, bool)");
  }
  void* address = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
  if (!address && PyErr_Occurred()) throw_python_error();
  const int read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1));
  checked(read_only);
  if (read_only) {
    throw_python(PyExc_TypeError, "the read only flag is not supported, should always be False");
  }
  return address;
}

// Empty arrays have no address; they count as memory of the current device.
c10::Device device_of(void* address) {
  const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
  if (hooks.isBuilt()) cuda::lazy_init();
  if (!address) return c10::Device(c10::DeviceType::CUDA, hooks.getCurrentDevice());
  hooks.init();
  return hooks.getDeviceFromPtr(address);
}

} // namespace

std::optional<at::Tensor> tensor_from_cuda_array_interface(PyObject* object) {
  const THPObjectPtr interface(PyObject_GetAttrString(object, "__cuda_array_interface__"));
  if (!interface) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (!PyDict_Check(interface.get())) {
    throw_python(PyExc_TypeError, "`__cuda_array_interface__` must be a dict");
  }
  const Sizes sizes = numbers_of(require(interface.get(), "shape", "attribute `shape` must exist"));
  const at::ScalarType dtype =
      dtype_of(object, require(interface.get(), "typestr", "attribute `typestr` must exist"));
  void* address = address_of(require(interface.get(), "data", "attribute `data` must exist"));
  const Sizes strides = strides_of(
      find(interface.get(), "strides"), sizes, static_cast<int64_t>(c10::elementSize(dtype)));
  for (const int64_t size : sizes) {
    TORCH_CHECK(
        size >= 0, "Trying to create tensor with negative dimension ", size, ": ",
        at::IntArrayRef(sizes));
  }
  const c10::Device device = device_of(address);
  PyObject* stream = find(interface.get(), "stream"); // since version 3
  if (stream && stream != Py_None) {
    const unsigned long long handle = PyLong_AsUnsignedLongLong(stream);
    if (PyErr_Occurred()) throw_python_error();
    cuda::wait_for_stream_of_another_library(handle, device.index());
  }
  return tensor_over_memory(
      address, sizes, strides, dtype, Py_NewRef(object),
      [](void* owner) { drop_with_gil(static_cast<PyObject*>(owner)); }, device);
}

} // namespace torch
