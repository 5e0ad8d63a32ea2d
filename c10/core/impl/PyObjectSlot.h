#pragma once

#include <c10/macros/Macros.h>

struct _object;
using PyObject = _object;

namespace c10::impl {

// Drops a reference to a Python object while holding the GIL. Set when libtorch_python loads.
extern C10_API void (*pyobj_decref)(PyObject*);

// Links a C++ object to its Python object. Usually the Python object owns the C++ one. When the
// last Python reference goes away while C++ references remain, the slot owns the Python object
// instead.
class PyObjectSlot {
 public:
  PyObjectSlot() = default;
  ~PyObjectSlot() { release(); }
  C10_DISABLE_COPY_AND_ASSIGN(PyObjectSlot);

  PyObject* pyobj() const { return pyobj_; }
  bool owns_pyobj() const { return owns_; }
  void set_pyobj(PyObject* pyobj, bool owns = false) {
    pyobj_ = pyobj;
    owns_ = owns;
  }
  void set_owns_pyobj(bool owns) { owns_ = owns; }
  void clear() {
    pyobj_ = nullptr;
    owns_ = false;
  }
  void release() {
    if (C10_UNLIKELY(owns_ && pyobj_)) {
      owns_ = false;
      pyobj_decref(pyobj_);
      pyobj_ = nullptr;
    }
  }

 private:
  PyObject* pyobj_ = nullptr;
  bool owns_ = false;
};

} // namespace c10::impl
