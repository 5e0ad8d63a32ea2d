#pragma once
// The interpreter's lock, for C++ that runs without it: backward passes, hooks, destructors.
#include <torch/csrc/Exceptions.h>

namespace torch {

class HoldGil {
 public:
  HoldGil() : state_(PyGILState_Ensure()) {}
  ~HoldGil() { PyGILState_Release(state_); }
  HoldGil(const HoldGil&) = delete;
  HoldGil& operator=(const HoldGil&) = delete;

 private:
  PyGILState_STATE state_;
};

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// Calls `f` with the lock. A Python error travels inside the exception, so that it survives what
// runs on the way and may end in another thread.
template <typename F>
auto with_gil(F&& f) -> decltype(f()) {
  const HoldGil gil;
  try {
    return f();
  } catch (python_error& error) {
    error.persist();
    throw;
  }
}

// Drops a reference that C++ owned. At exit, when the interpreter is gone, nothing is left to drop.
inline void drop_with_gil(PyObject* object) {
  if (!object || !Py_IsInitialized()) return;
  const HoldGil gil;
  Py_DECREF(object);
}

} // namespace torch
