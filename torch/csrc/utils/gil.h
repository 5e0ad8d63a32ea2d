#pragma once
// Acquires the GIL in C++ code that runs without it: backward passes, hooks, destructors.
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

// Calls `f` with the GIL held. A Python error is stored inside the exception, so it survives other
// Python code on the way and may be rethrown in another thread.
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

// Drops a reference that C++ owned. Does nothing at exit, when the interpreter no longer exists.
inline void drop_with_gil(PyObject* object) {
  if (!object || !Py_IsInitialized()) return;
  const HoldGil gil;
  Py_DECREF(object);
}

} // namespace torch
