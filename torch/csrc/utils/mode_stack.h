#pragma once
// The modes that a thread has entered, for __torch_function__ or __torch_dispatch__.
#include <c10/macros/Macros.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch {

// The stack of one protocol: `size_changed` is called with 1 or -1 after a change. Functions with
// two arguments are functions of torch._C.
template <void size_changed(int)>
class ModeStack {
 public:
  static Py_ssize_t size() { return modes_ ? PyList_GET_SIZE(modes_) : 0; }

  static PyObject* push(PyObject*, PyObject* mode) {
    if (!modes_) modes_ = PyList_New(0);
    if (!modes_ || PyList_Append(modes_, mode) < 0) return nullptr;
    size_changed(1);
    Py_RETURN_NONE;
  }

  static PyObject* pop(PyObject*, PyObject*) {
    const Py_ssize_t last = size() - 1;
    if (last < 0) {
      PyErr_SetString(PyExc_RuntimeError, "trying to pop from an empty mode stack");
      return nullptr;
    }
    PyObject* mode = Py_NewRef(PyList_GET_ITEM(modes_, last));
    PyList_SetSlice(modes_, last, last + 1, nullptr);
    size_changed(-1);
    return mode;
  }

  static PyObject* at(PyObject*, PyObject* index) {
    const Py_ssize_t i = PyLong_AsSsize_t(index);
    if (i == -1 && PyErr_Occurred()) return nullptr;
    if (i < 0 || i >= size()) {
      PyErr_SetString(PyExc_IndexError, "there is no such mode");
      return nullptr;
    }
    return Py_NewRef(PyList_GET_ITEM(modes_, i));
  }

  static PyObject* count(PyObject*, PyObject*) { return PyLong_FromSsize_t(size()); }

  // The innermost mode, which is not active inside its own handler.
  class Innermost {
   public:
    Innermost() : mode_(checked(pop(nullptr, nullptr))) {}
    ~Innermost() {
      PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
      PyErr_Fetch(&type, &value, &traceback);
      const THPObjectPtr done(push(nullptr, mode_.get()));
      PyErr_Restore(type, value, traceback);
    }
    C10_DISABLE_COPY_AND_ASSIGN(Innermost);
    PyObject* get() const { return mode_.get(); }

   private:
    THPObjectPtr mode_;
  };

 private:
  // The innermost mode is the last; a list, created when first needed.
  inline static constinit thread_local PyObject* modes_ = nullptr;
};

} // namespace torch
