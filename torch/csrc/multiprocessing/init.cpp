#include <torch/csrc/multiprocessing/init.h>

#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/python_numbers.h>

#include <pthread.h>
#include <sys/prctl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace torch::multiprocessing {

namespace {

constexpr size_t kLongestName = 15; // limit for a thread's name in Linux

PyObject* set_thread_name(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  if (!PyUnicode_Check(name)) {
    throw_python(
        PyExc_TypeError, "_set_thread_name expects a str, but got %s", Py_TYPE(name)->tp_name);
  }
  const char* const text = PyUnicode_AsUTF8(name);
  if (!text) throw_python_error();
  ::pthread_setname_np(::pthread_self(), std::string(text, ::strnlen(text, kLongestName)).c_str());
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_thread_name(PyObject*, PyObject*) {
  std::array<char, kLongestName + 1> name = {};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  return PyUnicode_FromString(name.data());
}

PyObject* set_pdeathsig(PyObject*, PyObject* signal) {
  HANDLE_TH_ERRORS
  const int status = ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(unpack_long(signal)));
  TORCH_CHECK(
      status == 0, "unable to request a signal for the parent's exit: ", std::strerror(errno));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"_prctl_pr_set_pdeathsig", set_pdeathsig, METH_O,
     "Send this process the signal when the thread that started it ends."},
    {"_set_thread_name", set_thread_name, METH_O,
     "Set the name of this thread, which top and gdb show."},
    {"_get_thread_name", get_thread_name, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef* python_functions() {
  return methods;
}

} // namespace torch::multiprocessing
