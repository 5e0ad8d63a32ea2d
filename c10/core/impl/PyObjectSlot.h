#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>

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

  PyObject* pyobj() const { return reinterpret_cast<PyObject*>(word_ & ~kOwns); }
  bool owns_pyobj() const { return (word_ & kOwns) != 0; }
  void set_pyobj(PyObject* pyobj, bool owns = false) {
    word_ = reinterpret_cast<uintptr_t>(pyobj) | (owns ? kOwns : 0);
  }
  void set_owns_pyobj(bool owns) { word_ = owns ? word_ | kOwns : word_ & ~kOwns; }
  void clear() { word_ = 0; }
  void release() {
    if (C10_UNLIKELY(owns_pyobj())) {
      set_owns_pyobj(false);
      pyobj_decref(pyobj());
      clear();
    }
  }

 private:
  // The address of the Python object; its lowest bit is set while the slot owns it.
  static constexpr uintptr_t kOwns = 1;
  uintptr_t word_ = 0;
};

} // namespace c10::impl
