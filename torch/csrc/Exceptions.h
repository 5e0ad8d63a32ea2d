#pragma once
// The border between C++ exceptions and Python's.
#include <torch/csrc/python_headers.h>
#include <exception>
#include <memory>
#include <string>

// Thrown when the Python error indicator is set: the border hands it on. Where other Python code
// may run before that, or the border is in another thread, the exception carries the error itself.
struct python_error : std::exception {
  const char* what() const noexcept override { return "a Python exception is set"; }

  // Both need the interpreter's lock: takes the error from the indicator, and puts it back.
  void persist();
  void restore() const;

 private:
  std::shared_ptr<PyObject> error_;
};

namespace torch {

// Sets the Python error that stands for the exception in flight. Cold: call inside a catch block.
void translate_current_exception() noexcept;

// Formatted by Python's own rules (%U, %R, %zd, ...), then thrown as python_error.
[[noreturn]] void throw_python(PyObject* type, const char* format, ...);
// The pending Python error as a C++ exception, for callbacks that cross a C++ frame.
[[noreturn]] void throw_python_error();

inline PyObject* checked(PyObject* object) {
  if (!object) [[unlikely]]
    throw_python_error();
  return object;
}
inline void checked(int status) {
  if (status < 0) [[unlikely]]
    throw_python_error();
}

} // namespace torch

extern PyObject* THPException_OutOfMemoryError;
bool THPException_init(PyObject* module);

#define HANDLE_TH_ERRORS try {
#define END_HANDLE_TH_ERRORS_RET(value)     \
  }                                         \
  catch (...) {                             \
    ::torch::translate_current_exception(); \
    return value;                           \
  }
#define END_HANDLE_TH_ERRORS END_HANDLE_TH_ERRORS_RET(nullptr)
