#include <torch/csrc/cuda/Nvtx.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

#include <cstdint>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else

// No profiler looks at the emulated device; only the depth of ranges is kept, which callers see.
namespace {

thread_local int range_depth = 0;
uint64_t ranges_started = 0;

int nvtxRangePushA(const char*) {
  return range_depth++;
}
int nvtxRangePop() {
  return range_depth == 0 ? -1 : --range_depth;
}
uint64_t nvtxRangeStartA(const char*) {
  return ++ranges_started;
}
void nvtxRangeEnd(uint64_t) {}
void nvtxMarkA(const char*) {}

} // namespace
#endif

namespace torch::cuda {

namespace {

const char* text_of(PyObject* message) {
  const char* const text = PyUnicode_AsUTF8(message);
  if (!text) throw_python_error();
  return text;
}

PyObject* range_push(PyObject*, PyObject* message) {
  HANDLE_TH_ERRORS
  return PyLong_FromLong(nvtxRangePushA(text_of(message)));
  END_HANDLE_TH_ERRORS
}
PyObject* range_pop(PyObject*, PyObject*) {
  return PyLong_FromLong(nvtxRangePop());
}
PyObject* range_start(PyObject*, PyObject* message) {
  HANDLE_TH_ERRORS
  return PyLong_FromUnsignedLongLong(nvtxRangeStartA(text_of(message)));
  END_HANDLE_TH_ERRORS
}
PyObject* range_end(PyObject*, PyObject* handle) {
  const unsigned long long range = PyLong_AsUnsignedLongLong(handle);
  if (PyErr_Occurred()) return nullptr;
  nvtxRangeEnd(range);
  Py_RETURN_NONE;
}
PyObject* mark(PyObject*, PyObject* message) {
  HANDLE_TH_ERRORS
  nvtxMarkA(text_of(message));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef functions[] = {
    {"rangePushA", range_push, METH_O, nullptr},
    {"rangePop", range_pop, METH_NOARGS, nullptr},
    {"rangeStartA", range_start, METH_O, nullptr},
    {"rangeEnd", range_end, METH_O, nullptr},
    {"markA", mark, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "torch._C._nvtx",
    nullptr,
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

} // namespace

bool initNvtxBindings(PyObject* module) {
  const THPObjectPtr nvtx(PyModule_Create(&definition));
  return nvtx && PyModule_AddObjectRef(module, "_nvtx", nvtx.get()) == 0;
}

} // namespace torch::cuda
