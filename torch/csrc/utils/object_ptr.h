#pragma once
// An owned reference to a Python object.
#include <torch/csrc/python_headers.h>
#include <utility>

class THPObjectPtr {
 public:
  THPObjectPtr() = default;
  explicit THPObjectPtr(PyObject* owned) : object_(owned) {}
  THPObjectPtr(THPObjectPtr&& other) noexcept : object_(other.release()) {}
  THPObjectPtr& operator=(THPObjectPtr&& other) noexcept {
    Py_XSETREF(object_, other.release());
    return *this;
  }
  THPObjectPtr& operator=(PyObject* owned) {
    Py_XSETREF(object_, owned);
    return *this;
  }
  THPObjectPtr(const THPObjectPtr&) = delete;
  THPObjectPtr& operator=(const THPObjectPtr&) = delete;
  ~THPObjectPtr() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};
