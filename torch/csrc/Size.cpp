#include <torch/csrc/Size.h>

#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <array>

namespace {

PyObject* new_size(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  THPObjectPtr self(torch::checked(PyTuple_Type.tp_new(type, args, kwargs)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
    PyObject* item = PyTuple_GET_ITEM(self.get(), i);
    if (PyLong_Check(item)) continue;
    PyObject* index =
        torch::is_int(item) || THPVariable_Check(item) ? PyNumber_Index(item) : nullptr;
    if (!index) {
      torch::throw_python(
          PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i,
          Py_TYPE(item)->tp_name);
    }
    PyTuple_SET_ITEM(self.get(), i, index);
    Py_DECREF(item);
  }
  return self.release();
  END_HANDLE_TH_ERRORS
}

PyObject* repr(PyObject* self) {
  THPObjectPtr items(PySequence_List(self));
  if (!items) return nullptr;
  return PyUnicode_FromFormat("torch.Size(%R)", items.get());
}

// Slicing, adding or repeating a size returns a size.
PyObject* as_size(PyObject* result) {
  if (!result || !PyTuple_Check(result)) return result;
  const THPObjectPtr owned(result);
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&THPSizeType), result);
}

PyObject* concat(PyObject* self, PyObject* other) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
}
PyObject* repeat(PyObject* self, Py_ssize_t times) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(self, times));
}
PyObject* subscript(PyObject* self, PyObject* index) {
  PyObject* result = PyTuple_Type.tp_as_mapping->mp_subscript(self, index);
  return PySlice_Check(index) ? as_size(result) : result;
}

PyObject* numel(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  int64_t elements = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    elements *= torch::unpack_long(PyTuple_GET_ITEM(self, i));
  }
  return PyLong_FromLongLong(elements);
  END_HANDLE_TH_ERRORS
}

PyObject* reduce(PyObject* self, PyObject*) {
  THPObjectPtr items(PySequence_List(self));
  if (!items) return nullptr;
  return Py_BuildValue("(O(N))", &THPSizeType, items.release());
}

PySequenceMethods as_sequence = {};
PyMappingMethods as_mapping = {};
PyMethodDef methods[] = {
    {"numel", numel, METH_NOARGS,
     "numel() -> int\n"
     "\n"
     "Return the number of elements of a tensor of this shape: the product of the sizes.\n"
     "\n"
     "Example:\n"
     "    >>> torch.Size([2, 3]).numel()\n"
     "    6"},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// Sizes with few dimensions are recycled, by length, because a.shape is read very often. Disabled
// under a sanitizer, which could not detect the use of a recycled object.
constexpr int kRecycledDims = C10_SANITIZER_ENABLED ? 0 : 6;
constexpr int kKept = 32;
std::array<std::array<PyObject*, kKept>, kRecycledDims> free_lists;
std::array<int, kRecycledDims> free_counts;

void dealloc(PyObject* self) {
  if (PyObject_GC_IsTracked(self)) PyObject_GC_UnTrack(self);
  const Py_ssize_t dims = PyTuple_GET_SIZE(self);
  for (Py_ssize_t i = 0; i < dims; ++i)
    Py_XDECREF(PyTuple_GET_ITEM(self, i));
  if (dims < kRecycledDims && free_counts[dims] < kKept) {
    free_lists[dims][free_counts[dims]++] = self;
  } else {
    PyObject_GC_Del(self);
  }
}

// Not tracked by the garbage collector, because ints cannot be part of a cycle.
PyObject* allocate(Py_ssize_t dims) {
  if (dims < kRecycledDims && free_counts[dims]) {
    return reinterpret_cast<PyObject*>(PyObject_InitVar(
        reinterpret_cast<PyVarObject*>(free_lists[dims][--free_counts[dims]]), &THPSizeType, dims));
  }
  return reinterpret_cast<PyObject*>(PyObject_GC_NewVar(PyTupleObject, &THPSizeType, dims));
}

void fill(PyObject* tuple, c10::ArrayRef<int64_t> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(values[i]));
  }
}

} // namespace

PyTypeObject THPSizeType = torch::static_type("torch.Size", 0);

bool THPSize_init(PyObject* module) {
  as_sequence.sq_concat = concat;
  as_sequence.sq_repeat = repeat;
  as_mapping.mp_subscript = subscript;
  THPSizeType.tp_base = &PyTuple_Type;
  THPSizeType.tp_doc =
      "Size(iterable=(), /)\n"
      "\n"
      "The shape of a tensor: a tuple of ints.\n"
      "\n"
      "Slices, sums and products of sizes are sizes too.\n"
      "\n"
      "Example:\n"
      "    >>> torch.zeros(2, 3).shape\n"
      "    torch.Size([2, 3])\n"
      "    >>> torch.Size([2, 3])[1:]\n"
      "    torch.Size([3])";
  THPSizeType.tp_new = new_size;
  THPSizeType.tp_dealloc = dealloc;
  THPSizeType.tp_repr = repr;
  THPSizeType.tp_as_sequence = &as_sequence;
  THPSizeType.tp_as_mapping = &as_mapping;
  THPSizeType.tp_methods = methods;
  return PyType_Ready(&THPSizeType) == 0 &&
      PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(&THPSizeType)) == 0;
}

PyObject* THPSize_New(c10::ArrayRef<int64_t> sizes) {
  PyObject* self = allocate(static_cast<Py_ssize_t>(sizes.size()));
  if (self) fill(self, sizes);
  return self;
}

PyObject* THPTuple_New(c10::ArrayRef<int64_t> values) {
  PyObject* self = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  if (self) fill(self, values);
  return self;
}
