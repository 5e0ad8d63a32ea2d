#pragma once
// Translation between C++ exceptions and Python exceptions.
#include <torch/csrc/python_headers.h>
#include <exception>
#include <memory>
#include <string>

// Thrown when the Python error indicator is set; the translation at the boundary passes the error
// on. If other Python code may run before that, or the boundary is in another thread, the exception
// carries the error itself.
struct python_error : std::exception {
  const char* what() const noexcept override { return "a Python exception is set"; }

  // Both need the GIL. They take the error from the indicator and put it back.
  void persist();
  void restore() const;

 private:
  std::shared_ptr<PyObject> error_;
};

namespace c10 {
class Error;
}

namespace torch {

// Sets the Python error for the current exception. Cold; call it inside a catch block.
void translate_current_exception() noexcept;

// Formats the message with Python's format codes (%U, %R, %zd, ...) and throws python_error.
[[noreturn]] void throw_python(PyObject* type, const char* format, ...);
// Turns the pending Python error into a C++ exception, for callbacks that cross a C++ frame.
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

// The Python exception for the error of a device, whose classes only its back end knows; nullptr
// for other errors. A back end sets it.
extern PyObject* (*device_error_type)(const c10::Error&);

} // namespace torch

extern PyObject* THPException_OutOfMemoryError;
extern PyObject* THPException_AcceleratorError;
bool THPException_init(PyObject* module);

#define HANDLE_TH_ERRORS try {
#define END_HANDLE_TH_ERRORS_RET(value)     \
  }                                         \
  catch (...) {                             \
    ::torch::translate_current_exception(); \
    return value;                           \
  }
#define END_HANDLE_TH_ERRORS END_HANDLE_TH_ERRORS_RET(nullptr)
