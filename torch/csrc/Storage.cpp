#include <torch/csrc/Storage.h>

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <c10/core/CopyBytes.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/StorageSharing.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

PyTypeObject THPStorageType = torch::static_type("torch._C.StorageBase", sizeof(THPStorage));

namespace {

PyTypeObject* storage_class = nullptr; // torch.UntypedStorage, set when the package has created it

const c10::Storage& unpack(PyObject* self) {
  return reinterpret_cast<THPStorage*>(self)->cdata;
}

PyObject* make(PyTypeObject* type, c10::Storage storage) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  storage.unsafeGetStorageImpl()->pyobj_slot()->set_pyobj(self);
  new (&reinterpret_cast<THPStorage*>(self)->cdata) c10::Storage(std::move(storage));
  return self;
}

c10::Storage allocate(int64_t bytes, c10::Device device = c10::default_device_type) {
  TORCH_CHECK(bytes >= 0, "Trying to create storage with negative size: ", bytes);
  return at::detail::empty_storage(device, static_cast<size_t>(bytes));
}

// A tensor of a wrapper subclass has a storage with a size and without memory.
uint8_t* bytes_of(const c10::Storage& storage) {
  auto* bytes = static_cast<uint8_t*>(storage.mutable_data());
  TORCH_CHECK(
      bytes || !storage.nbytes() || storage.device().is_meta(),
      "Attempted to access the data pointer on an invalid python storage. It has ",
      storage.nbytes(), " bytes, but no memory is allocated for them.");
  return bytes;
}

// Bytes of a storage on any device, and back.
void read(const c10::Storage& storage, size_t start, size_t count, void* to) {
  c10::CopyBytes(
      count, bytes_of(storage) + start, storage.device(), to, c10::default_device_type,
      /*async=*/false);
}
void write(const c10::Storage& storage, size_t start, size_t count, const void* from) {
  c10::CopyBytes(
      count, from, c10::default_device_type, bytes_of(storage) + start, storage.device(),
      /*async=*/false);
}

PyObject* new_storage(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(
      type != &THPStorageType,
      "Cannot directly construct StorageBase; subclass it and then construct that");
  static const char* names[] = {"size", "device", nullptr};
  PyObject *data = nullptr, *device = nullptr;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|OO:UntypedStorage", const_cast<char**>(names), &data, &device)) {
    return nullptr;
  }
  const c10::Device where = device && device != Py_None ? torch::unpack_device(device)
                                                        : c10::Device(c10::default_device_type);
  if (!data) return make(type, allocate(0, where));
  if (torch::is_int(data)) return make(type, allocate(torch::unpack_scalar(data).toLong(), where));
  const THPObjectPtr items(
      torch::checked(PySequence_Fast(data, "UntypedStorage(): expected a sequence of bytes")));
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int64_t value = torch::unpack_long(PySequence_Fast_GET_ITEM(items.get(), i));
    bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(value);
  }
  c10::Storage storage = allocate(count, where);
  write(storage, 0, bytes.size(), bytes.data());
  return make(type, std::move(storage));
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  auto& storage = reinterpret_cast<THPStorage*>(self)->cdata;
  if (storage) {
    auto* slot = storage.unsafeGetStorageImpl()->pyobj_slot();
    if (slot->pyobj() == self) slot->clear();
  }
  storage.~Storage();
  Py_TYPE(self)->tp_free(self);
}

PyObject* nbytes(PyObject* self, PyObject*) {
  return PyLong_FromSize_t(unpack(self).nbytes());
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromVoidPtr(bytes_of(unpack(self)));
  END_HANDLE_TH_ERRORS
}
PyObject* element_size(PyObject*, PyObject*) {
  return PyLong_FromLong(1);
}
PyObject* device(PyObject* self, void*) {
  return THPDevice_New(unpack(self).device());
}
PyObject* is_cuda(PyObject* self, void*) {
  return PyBool_FromLong(unpack(self).device().is_cuda());
}
PyObject* resizable(PyObject* self, PyObject*) {
  return PyBool_FromLong(unpack(self).resizable());
}
PyObject* impl_address(PyObject* self, void*) {
  return PyLong_FromVoidPtr(unpack(self).unsafeGetStorageImpl());
}
Py_ssize_t length(PyObject* self) {
  return static_cast<Py_ssize_t>(unpack(self).nbytes());
}

PyObject* copy_from(PyObject* self, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* source = nullptr;
  int non_blocking = 0;
  if (!PyArg_ParseTuple(args, "O!|p:copy_", &THPStorageType, &source, &non_blocking))
    return nullptr;
  TORCH_CHECK(
      unpack(self).nbytes() == unpack(source).nbytes(), "size does not match, self was ",
      unpack(self).nbytes(), " bytes but src was ", unpack(source).nbytes(), " bytes");
  if (bytes_of(unpack(self)) != bytes_of(unpack(source))) {
    c10::CopyBytes(
        unpack(self).nbytes(), bytes_of(unpack(source)), unpack(source).device(),
        bytes_of(unpack(self)), unpack(self).device(), non_blocking != 0);
  }
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* fill(PyObject* self, PyObject* value) {
  HANDLE_TH_ERRORS
  const int byte = static_cast<int>(torch::unpack_long(value));
  const std::vector<uint8_t> bytes(unpack(self).nbytes(), static_cast<uint8_t>(byte));
  write(unpack(self), 0, bytes.size(), bytes.data());
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* resize(PyObject* self, PyObject* size) {
  HANDLE_TH_ERRORS
  const c10::Storage& storage = unpack(self);
  bytes_of(storage);
  TORCH_CHECK(storage.resizable(), "Trying to resize storage that is not resizable");
  const int64_t bytes = torch::unpack_scalar(size).toLong();
  TORCH_CHECK(bytes >= 0, "Trying to create storage with negative size: ", bytes);
  at::native::resize_bytes(storage.unsafeGetStorageImpl(), static_cast<size_t>(bytes));
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

// A range of bytes of a storage, sharing its memory.
c10::Storage part_of(const c10::Storage& storage, Py_ssize_t start, Py_ssize_t count) {
  auto owner = std::make_unique<c10::Storage>(storage);
  c10::DataPtr data(
      bytes_of(storage) + start, owner.release(),
      [](void* context) { delete static_cast<c10::Storage*>(context); }, storage.device());
  return c10::Storage(
      c10::Storage::use_byte_size_t(), static_cast<size_t>(count), std::move(data),
      /*allocator=*/nullptr, /*resizable=*/false);
}

int64_t position_of(PyObject* self, PyObject* index) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !unpack(self).device().is_meta(), "Not available for 'meta' device type");
  if (!PyIndex_Check(index)) {
    torch::throw_python(
        PyExc_TypeError, "can't index a torch.UntypedStorage with %s", Py_TYPE(index)->tp_name);
  }
  const int64_t given = torch::unpack_long(index);
  const int64_t position = given < 0 ? given + length(self) : given;
  if (position < 0 || position >= length(self)) {
    torch::throw_python(
        PyExc_IndexError, "index %lld out of range for storage of size %zd",
        static_cast<long long>(given), length(self));
  }
  return position;
}

PyObject* get_item(PyObject* self, PyObject* index) {
  HANDLE_TH_ERRORS
  const c10::Storage& storage = unpack(self);
  if (PySlice_Check(index)) {
    Py_ssize_t start = 0, stop = 0, step = 1;
    torch::checked(PySlice_Unpack(index, &start, &stop, &step));
    const Py_ssize_t count = PySlice_AdjustIndices(length(self), &start, &stop, step);
    if (step != 1)
      torch::throw_python(
          PyExc_RuntimeError,
          "Trying to slice with a step of %zd, but only a step of 1 is supported", step);
    return THPStorage_Wrap(part_of(storage, start, count));
  }
  const int64_t position = position_of(self, index);
  uint8_t byte = 0;
  read(storage, static_cast<size_t>(position), 1, &byte);
  return PyLong_FromLong(byte);
  END_HANDLE_TH_ERRORS
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
  HANDLE_TH_ERRORS
  if (!value) torch::throw_python(PyExc_TypeError, "a storage does not support deleting items");
  const int64_t position = position_of(self, index);
  const auto byte = static_cast<uint8_t>(torch::unpack_long(value));
  write(unpack(self), static_cast<size_t>(position), 1, &byte);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

// The bytes, and a storage from bytes; needed for pickling.
PyObject* to_bytes(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const c10::Storage& storage = unpack(self);
  THPObjectPtr bytes(torch::checked(
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(storage.nbytes()))));
  read(storage, 0, storage.nbytes(), PyBytes_AS_STRING(bytes.get()));
  return bytes.release();
  END_HANDLE_TH_ERRORS
}

PyObject* from_bytes(PyObject* type, PyObject* source) {
  HANDLE_TH_ERRORS
  Py_buffer view;
  torch::checked(PyObject_GetBuffer(source, &view, PyBUF_SIMPLE));
  c10::Storage storage = allocate(view.len);
  if (view.len) std::memcpy(bytes_of(storage), view.buf, static_cast<size_t>(view.len));
  PyBuffer_Release(&view);
  return make(reinterpret_cast<PyTypeObject*>(type), std::move(storage));
  END_HANDLE_TH_ERRORS
}

// A storage over the memory of an object with the buffer protocol, which it keeps alive (an mmap,
// for example).
void release_view(void* context) {
  const auto state = PyGILState_Ensure();
  auto* view = static_cast<Py_buffer*>(context);
  PyBuffer_Release(view);
  delete view;
  PyGILState_Release(state);
}

PyObject* over_buffer(PyObject* type, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* source = nullptr;
  Py_ssize_t offset = 0, size = -1;
  if (!PyArg_ParseTuple(args, "O|nn:_over_buffer", &source, &offset, &size)) return nullptr;
  auto view = std::make_unique<Py_buffer>();
  torch::checked(PyObject_GetBuffer(source, view.get(), PyBUF_SIMPLE));
  if (size < 0) size = view->len - offset;
  if (offset < 0 || size < 0 || size > view->len - offset) {
    const Py_ssize_t length = view->len;
    PyBuffer_Release(view.get());
    torch::throw_python(
        PyExc_ValueError, "bytes %zd to %zd are not in a buffer of %zd bytes", offset,
        offset + size, length);
  }
  char* const start = static_cast<char*>(view->buf) + offset;
  c10::DataPtr data(start, view.release(), &release_view, c10::Device(c10::kCPU));
  return make(
      reinterpret_cast<PyTypeObject*>(type),
      c10::Storage(
          c10::Storage::use_byte_size_t(), static_cast<size_t>(size), std::move(data),
          /*allocator=*/nullptr, /*resizable=*/false));
  END_HANDLE_TH_ERRORS
}

// The object whose memory the storage uses; None if it owns its memory.
PyObject* buffer_owner(PyObject* self, void*) {
  const c10::DataPtr& data = unpack(self).mutable_data_ptr();
  const auto* view = data.get_deleter() == &release_view
      ? static_cast<const Py_buffer*>(data.get_context())
      : nullptr;
  return Py_NewRef(view && view->obj ? view->obj : Py_None);
}

// memoryview(storage): the bytes themselves.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  HANDLE_TH_ERRORS
  const c10::Storage& storage = unpack(self);
  if (!storage.device().is_cpu()) {
    PyErr_SetString(PyExc_BufferError, "only storages on the CPU can be viewed as bytes");
    return -1;
  }
  return PyBuffer_FillInfo(
      view, self, bytes_of(storage), static_cast<Py_ssize_t>(storage.nbytes()), /*readonly=*/0,
      flags);
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* set_storage_class(PyObject*, PyObject* type) {
  if (!PyType_Check(type)) {
    PyErr_SetString(PyExc_TypeError, "expected a type");
    return nullptr;
  }
  Py_XSETREF(storage_class, reinterpret_cast<PyTypeObject*>(Py_NewRef(type)));
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"nbytes", nbytes, METH_NOARGS,
     "nbytes() -> int\n"
     "\n"
     "Return the size in bytes."},
    {"size", nbytes, METH_NOARGS,
     "size() -> int\n"
     "\n"
     "Return the size in bytes. The same as :meth:`nbytes`."},
    {"data_ptr", data_ptr, METH_NOARGS,
     "data_ptr() -> int\n"
     "\n"
     "Return the address of the first byte."},
    {"element_size", element_size, METH_NOARGS,
     "element_size() -> int\n"
     "\n"
     "Return 1: the elements of an untyped storage are bytes."},
    {"resizable", resizable, METH_NOARGS,
     "resizable() -> bool\n"
     "\n"
     "Return whether :meth:`resize_` can change the size."},
    {"copy_", copy_from, METH_VARARGS,
     "copy_(source, non_blocking=None) -> UntypedStorage\n"
     "\n"
     "Copy the bytes of another storage of the same size, and return this storage."},
    {"fill_", fill, METH_O,
     "fill_(value) -> UntypedStorage\n"
     "\n"
     "Set all bytes to one value, and return this storage."},
    {"resize_", resize, METH_O,
     "resize_(size) -> UntypedStorage\n"
     "\n"
     "Change the size, keeping the first bytes, and return this storage.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the storage is not resizable."},
    {"_to_bytes", to_bytes, METH_NOARGS, nullptr},
    {"_from_bytes", from_bytes, METH_O | METH_CLASS, nullptr},
    {"_over_buffer", over_buffer, METH_VARARGS | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMethodDef module_methods[] = {
    {"_set_storage_class", set_storage_class, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {
    {"device", device, nullptr, "Return the device of the memory.", nullptr},
    {"is_cuda", is_cuda, nullptr, "Return whether the memory is on a CUDA device.", nullptr},
    {"_cdata", impl_address, nullptr, nullptr, nullptr},
    {"_buffer_owner", buffer_owner, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMappingMethods as_mapping = {length, get_item, set_item};
PyBufferProcs as_buffer = {get_buffer, nullptr};

} // namespace

bool THPStorage_init(PyObject* module) {
  static std::vector<PyMethodDef> all_methods;
  for (const PyMethodDef* table : {methods, THPStorage_sharingMethods()}) {
    for (; table->ml_name; ++table)
      all_methods.push_back(*table);
  }
  all_methods.push_back({nullptr, nullptr, 0, nullptr});
  THPStorageType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  THPStorageType.tp_doc =
      "The base class of torch.UntypedStorage: the memory of tensors, as bytes.";
  THPStorageType.tp_new = new_storage;
  THPStorageType.tp_dealloc = dealloc;
  THPStorageType.tp_methods = all_methods.data();
  THPStorageType.tp_getset = properties;
  THPStorageType.tp_as_mapping = &as_mapping;
  THPStorageType.tp_as_buffer = &as_buffer;
  if (PyType_Ready(&THPStorageType) < 0) return false;
  PyObject* type = reinterpret_cast<PyObject*>(&THPStorageType);
  return PyModule_AddObjectRef(module, "StorageBase", type) == 0 &&
      PyModule_AddFunctions(module, module_methods) == 0;
}

PyObject* THPStorage_Wrap(c10::Storage storage) {
  if (!storage) Py_RETURN_NONE;
  if (PyObject* known = storage.unsafeGetStorageImpl()->pyobj_slot()->pyobj())
    return Py_NewRef(known);
  return make(storage_class ? storage_class : &THPStorageType, std::move(storage));
}

namespace torch {

// The attribute under which TypedStorage keeps its UntypedStorage, as in PyTorch.
static constexpr const char* kUntyped = "_untyped_storage";

bool is_storage(PyObject* object) {
  return THPStorage_Check(object) || PyObject_HasAttrString(object, kUntyped);
}

c10::Storage unpack_storage(PyObject* object) {
  if (THPStorage_Check(object)) return unpack(object);
  const THPObjectPtr untyped(checked(PyObject_GetAttrString(object, kUntyped)));
  if (!THPStorage_Check(untyped.get())) throw_python(PyExc_TypeError, "expected a storage");
  return unpack(untyped.get());
}

} // namespace torch
