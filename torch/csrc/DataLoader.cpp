#include <torch/csrc/DataLoader.h>

#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace {

// The messages that report a fault in a worker; without them, only a signal number would be left.
struct Fault {
  int signal;
  std::string_view report;
};
constexpr Fault kFaults[] = {
    {SIGBUS,
     "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
     "shared memory (shm).\n"},
    {SIGSEGV, "ERROR: Unexpected segmentation fault encountered in worker.\n"},
    {SIGFPE, "ERROR: Unexpected floating-point exception encountered in worker.\n"}};

// Calls only async-signal-safe functions. Afterwards the same signal terminates the process.
void report_fault(int signal) {
  for (const Fault& fault : kFaults) {
    if (fault.signal == signal) {
      [[maybe_unused]] const ssize_t written =
          ::write(STDERR_FILENO, fault.report.data(), fault.report.size());
    }
  }
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  ::raise(signal);
}

PyObject* set_worker_signal_handlers(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  struct sigaction action = {};
  action.sa_handler = report_fault;
  action.sa_flags = SA_NODEFER;
  for (const Fault& fault : kFaults) {
    TORCH_CHECK(
        ::sigaction(fault.signal, &action, nullptr) == 0, "unable to set the handler of signal ",
        fault.signal, ": ", std::strerror(errno));
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef DataLoaderMethods[] = {
    {"_set_worker_signal_handlers", set_worker_signal_handlers, METH_NOARGS,
     "Install handlers that report fatal signals of this process on standard error."},
    {nullptr, nullptr, 0, nullptr}};
