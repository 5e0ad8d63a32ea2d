#include <torch/csrc/DataLoader.h>

#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace {

// What a fault in a worker is reported with: without it, only the number of a signal is left.
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

// Calls only what is safe in a signal handler. The process then dies of the same signal.
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
     "Reports a fault of this process on standard error before it dies of it."},
    {nullptr, nullptr, 0, nullptr}};
