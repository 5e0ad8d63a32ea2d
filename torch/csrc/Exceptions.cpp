#include <torch/csrc/Exceptions.h>

#include <c10/util/Exception.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

#include <cstdarg>
#include <new>
#include <stdexcept>

PyObject* THPException_OutOfMemoryError = nullptr;
PyObject* THPException_AcceleratorError = nullptr;
static PyObject* linalg_error = nullptr;

bool THPException_init(PyObject* module) {
  THPException_OutOfMemoryError = PyErr_NewExceptionWithDoc(
      "torch.OutOfMemoryError", "Raised when memory runs out.", PyExc_RuntimeError, nullptr);
  linalg_error = PyErr_NewExceptionWithDoc(
      "torch._C._LinAlgError", "Raised when a linear algebra routine fails.", PyExc_RuntimeError,
      nullptr);
  THPException_AcceleratorError = PyErr_NewExceptionWithDoc(
      "torch.AcceleratorError", "Raised when a device reports an error.", PyExc_RuntimeError,
      nullptr);
  return THPException_OutOfMemoryError && THPException_AcceleratorError && linalg_error &&
      PyModule_AddObjectRef(module, "OutOfMemoryError", THPException_OutOfMemoryError) == 0 &&
      PyModule_AddObjectRef(module, "AcceleratorError", THPException_AcceleratorError) == 0 &&
      PyModule_AddObjectRef(module, "_LinAlgError", linalg_error) == 0;
}

void python_error::persist() {
  if (error_ || !PyErr_Occurred()) return;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  error_ = std::shared_ptr<PyObject>(value, torch::drop_with_gil);
}

void python_error::restore() const {
  if (!error_) return;
  PyObject* value = error_.get();
  PyErr_Restore(Py_NewRef(Py_TYPE(value)), Py_NewRef(value), PyException_GetTraceback(value));
}

namespace torch {

PyObject* (*device_error_type)(const c10::Error&) = nullptr;

namespace {

void set_error(PyObject* type, const char* message) noexcept {
  PyErr_SetString(type, message);
}

// With TORCH_SHOW_CPP_STACKTRACES, the C++ stack belongs to the message.
const char* message_of(const c10::Error& error) noexcept {
  static const bool shows_stack = !c10::get_backtrace().empty();
  return shows_stack ? error.what() : error.what_without_backtrace();
}

} // namespace

void translate_current_exception() noexcept {
  try {
    throw;
  } catch (const python_error& error) {
    error.restore();
    if (!PyErr_Occurred())
      set_error(PyExc_SystemError, "the Python error was cleared before it was reported");
  } catch (const c10::IndexError& e) {
    set_error(PyExc_IndexError, message_of(e));
  } catch (const c10::ValueError& e) {
    set_error(PyExc_ValueError, message_of(e));
  } catch (const c10::TypeError& e) {
    set_error(PyExc_TypeError, message_of(e));
  } catch (const c10::AttributeError& e) {
    set_error(PyExc_AttributeError, message_of(e));
  } catch (const c10::NotImplementedError& e) {
    set_error(PyExc_NotImplementedError, message_of(e));
  } catch (const c10::LinAlgError& e) {
    set_error(linalg_error, message_of(e));
  } catch (const c10::OutOfMemoryError& e) {
    set_error(THPException_OutOfMemoryError, message_of(e));
  } catch (const c10::SyntaxError& e) {
    set_error(PyExc_SyntaxError, message_of(e));
  } catch (const c10::BufferError& e) {
    set_error(PyExc_BufferError, message_of(e));
  } catch (const c10::Error& e) {
    PyObject* const type = device_error_type ? device_error_type(e) : nullptr;
    set_error(type ? type : PyExc_RuntimeError, message_of(e));
  } catch (const std::bad_alloc& e) {
    set_error(PyExc_MemoryError, e.what());
  } catch (const std::out_of_range& e) {
    set_error(PyExc_IndexError, e.what());
  } catch (const std::invalid_argument& e) {
    set_error(PyExc_ValueError, e.what());
  } catch (const std::exception& e) {
    set_error(PyExc_RuntimeError, e.what());
  } catch (...) {
    set_error(PyExc_RuntimeError, "an unknown C++ exception");
  }
}

void throw_python(PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  PyErr_FormatV(type, format, arguments);
  va_end(arguments);
  throw python_error();
}

void throw_python_error() {
  throw python_error();
}

} // namespace torch
