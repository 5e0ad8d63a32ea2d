#include <torch/csrc/Warnings.h>

#include <c10/util/ProcessWarnings.h>
#include <torch/csrc/Exceptions.h>

namespace torch {
namespace {

class PythonWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    // Only a thread that Python knows may wait for the GIL: the thread that holds the GIL may be
    // waiting for a kernel's worker thread.
    if (!Py_IsInitialized() || !PyGILState_GetThisThreadState()) {
      return WarningHandler::process(warning);
    }
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject* category = warning.kind() == c10::WarningKind::Deprecation ? PyExc_DeprecationWarning
                                                                         : PyExc_UserWarning;
    const int status = PyErr_WarnEx(category, warning.msg().c_str(), 1);
    // Under -W error the warning becomes an exception, which the C++ frames in between must see. It
    // may end on another thread.
    python_error error;
    if (status < 0) error.persist();
    PyGILState_Release(state);
    if (status < 0) throw error;
  }
};

} // namespace

bool init_warnings(PyObject*) {
  static PythonWarnings handler;
  c10::WarningUtils::set_process_warning_handler(&handler);
  return true;
}

} // namespace torch
