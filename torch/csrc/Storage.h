#pragma once
// torch.UntypedStorage; torch.TypedStorage is a Python class on top of it.
#include <torch/csrc/python_headers.h>

#include <c10/core/Storage.h>

struct THPStorage {
  PyObject_HEAD c10::Storage cdata;
};

extern PyTypeObject THPStorageType; // torch._C.StorageBase
bool THPStorage_init(PyObject* module);
inline bool THPStorage_Check(PyObject* object) {
  return PyType_IsSubtype(Py_TYPE(object), &THPStorageType);
}
PyObject* THPStorage_Wrap(c10::Storage storage);

namespace torch {
// Accepts an UntypedStorage, or a TypedStorage around one.
bool is_storage(PyObject* object);
c10::Storage unpack_storage(PyObject* object);
} // namespace torch
