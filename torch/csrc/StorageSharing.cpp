#include <torch/csrc/StorageSharing.h>

#include <ATen/MapAllocator.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/shm/libshm.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace {

const c10::Storage& unpack(PyObject* self) {
  return reinterpret_cast<THPStorage*>(self)->cdata;
}

PyObject* wrap(c10::DataPtr data, size_t bytes) {
  return THPStorage_Wrap(c10::Storage(
      c10::Storage::use_byte_size_t(), bytes, std::move(data), /*allocator=*/nullptr,
      /*resizable=*/false));
}

// Tensors over the storage see the new memory, to which the old content has been copied.
void move_into(const c10::Storage& storage, c10::DataPtr memory) {
  if (storage.nbytes()) std::memcpy(memory.get(), storage.data(), storage.nbytes());
  storage.set_data_ptr_noswap(std::move(memory));
}

void check_on_cpu(const c10::Storage& storage) {
  TORCH_CHECK(storage.device().is_cpu(), "only storages on the CPU can be shared");
}

PyObject* is_shared(PyObject* self, PyObject*) {
  if (unpack(self).device().is_cuda()) Py_RETURN_TRUE; // every block can be sent as it is
  const c10::DataPtr& data = unpack(self).mutable_data_ptr();
  return PyBool_FromLong(
      at::MapAllocator::fromDataPtr(data) || THManagedMapAllocator::fromDataPtr(data));
}

// ---- by descriptor: (descriptor, size)

PyObject* share_fd(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const c10::Storage& storage = unpack(self);
  check_on_cpu(storage);
  if (!at::MapAllocator::fromDataPtr(storage.mutable_data_ptr())) {
    move_into(storage, at::MapAllocator::create(storage.nbytes()));
  }
  const auto* shared = at::MapAllocator::fromDataPtr(storage.mutable_data_ptr());
  return Py_BuildValue("(in)", shared->fd(), static_cast<Py_ssize_t>(storage.nbytes()));
  END_HANDLE_TH_ERRORS
}

PyObject* new_using_fd(PyObject*, PyObject* size) {
  HANDLE_TH_ERRORS
  const int64_t bytes = torch::unpack_long(size);
  TORCH_CHECK(bytes >= 0, "Trying to create storage with negative size: ", bytes);
  return wrap(at::MapAllocator::create(static_cast<size_t>(bytes)), static_cast<size_t>(bytes));
  END_HANDLE_TH_ERRORS
}

// The caller keeps ownership of its descriptor.
PyObject* new_shared_fd(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  int fd = -1;
  Py_ssize_t bytes = 0;
  if (!PyArg_ParseTuple(args, "in:_new_shared_fd_cpu", &fd, &bytes)) return nullptr;
  const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  TORCH_CHECK(
      own >= 0, "could not duplicate a shared memory file descriptor: ", std::strerror(errno));
  return wrap(at::MapAllocator::open(own, static_cast<size_t>(bytes)), static_cast<size_t>(bytes));
  END_HANDLE_TH_ERRORS
}

// ---- by name: (manager's address, name, size)

THManagedMapAllocator* named(PyObject* self) {
  return THManagedMapAllocator::fromDataPtr(unpack(self).mutable_data_ptr());
}

PyObject* share_filename(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  const c10::Storage& storage = unpack(self);
  check_on_cpu(storage);
  if (!named(self)) {
    move_into(
        storage, THManagedMapAllocator::create(at::NewProcessWideShmHandle(), storage.nbytes()));
  }
  const THManagedMapAllocator& shared = *named(self);
  return Py_BuildValue(
      "(yyn)", shared.manager_handle().c_str(), shared.filename().c_str(),
      static_cast<Py_ssize_t>(storage.nbytes()));
  END_HANDLE_TH_ERRORS
}

PyObject* new_using_filename(PyObject*, PyObject* size) {
  HANDLE_TH_ERRORS
  const int64_t bytes = torch::unpack_long(size);
  TORCH_CHECK(bytes >= 0, "Trying to create storage with negative size: ", bytes);
  const auto size_in_bytes = static_cast<size_t>(bytes);
  return wrap(
      THManagedMapAllocator::create(at::NewProcessWideShmHandle(), size_in_bytes), size_in_bytes);
  END_HANDLE_TH_ERRORS
}

PyObject* new_shared_filename(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  const char *manager = nullptr, *name = nullptr;
  Py_ssize_t bytes = 0;
  if (!PyArg_ParseTuple(args, "yyn:_new_shared_filename_cpu", &manager, &name, &bytes))
    return nullptr;
  const auto size = static_cast<size_t>(bytes);
  return wrap(THManagedMapAllocator::open(manager, name, size), size);
  END_HANDLE_TH_ERRORS
}

// Keeps the name alive while it is sent to another process; has no effect on other memory.
PyObject* shared_incref(PyObject* self, PyObject*) {
  if (auto* shared = named(self)) shared->incref();
  Py_RETURN_NONE;
}
PyObject* shared_decref(PyObject* self, PyObject*) {
  if (auto* shared = named(self)) shared->decref();
  return Py_NewRef(self);
}

// ---- weak references: the address of a storage, valid until _free_weak_ref

using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

c10::StorageImpl* unpack_weak(PyObject* address) {
  void* const target = PyLong_AsVoidPtr(address);
  if (!target && PyErr_Occurred()) torch::throw_python_error();
  return static_cast<c10::StorageImpl*>(target);
}

PyObject* weak_ref(PyObject* self, PyObject*) {
  WeakStorage weak(unpack(self).getIntrusivePtr());
  return PyLong_FromVoidPtr(weak.release());
}

PyObject* free_weak_ref(PyObject*, PyObject* address) {
  HANDLE_TH_ERRORS
  if (address != Py_None) WeakStorage::reclaim(unpack_weak(address)).reset();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* is_expired(PyObject*, PyObject* address) {
  HANDLE_TH_ERRORS
  WeakStorage weak = WeakStorage::reclaim(unpack_weak(address));
  const bool expired = weak.expired();
  weak.release();
  return PyBool_FromLong(expired);
  END_HANDLE_TH_ERRORS
}

// Returns None if the storage has been freed.
PyObject* new_with_weak_ptr(PyObject*, PyObject* address) {
  HANDLE_TH_ERRORS
  WeakStorage weak = WeakStorage::reclaim(unpack_weak(address));
  c10::Storage storage(weak.lock());
  weak.release();
  return THPStorage_Wrap(std::move(storage));
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"is_shared", is_shared, METH_NOARGS,
     "is_shared() -> bool\n"
     "\n"
     "Return whether other processes can share the memory: always on CUDA devices."},
    {"_share_fd_cpu_", share_fd, METH_NOARGS, nullptr},
    {"_new_using_fd_cpu", new_using_fd, METH_O | METH_STATIC, nullptr},
    {"_new_shared_fd_cpu", new_shared_fd, METH_VARARGS | METH_STATIC, nullptr},
    {"_share_filename_cpu_", share_filename, METH_NOARGS, nullptr},
    {"_new_using_filename_cpu", new_using_filename, METH_O | METH_STATIC, nullptr},
    {"_new_shared_filename_cpu", new_shared_filename, METH_VARARGS | METH_STATIC, nullptr},
    {"_shared_incref", shared_incref, METH_NOARGS, nullptr},
    {"_shared_decref", shared_decref, METH_NOARGS, nullptr},
    {"_weak_ref", weak_ref, METH_NOARGS, nullptr},
    {"_free_weak_ref", free_weak_ref, METH_O | METH_STATIC, nullptr},
    {"_expired", is_expired, METH_O | METH_STATIC, nullptr},
    {"_new_with_weak_ptr", new_with_weak_ptr, METH_O | METH_STATIC, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef* THPStorage_sharingMethods() {
  return methods;
}
