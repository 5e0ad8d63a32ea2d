#include <torch/csrc/cuda/MemoryHistory.h>

#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/utils/gil.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace torch::cuda {

namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;

// References to code that nobody uses any more. Memory is freed by threads that do not hold the GIL
// as well, so the next thread that does drops them.
struct DeadCode {
  std::mutex mutex;
  std::vector<PyCodeObject*> codes;

  static DeadCode& instance() {
    static auto* dead = new DeadCode; // memory may be freed after the library's statics
    return *dead;
  }
  void add(PyCodeObject* code) {
    const std::lock_guard<std::mutex> lock(mutex);
    codes.push_back(code);
  }
  void drop_all() {
    std::vector<PyCodeObject*> taken;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      taken = std::exchange(codes, {});
    }
    for (PyCodeObject* code : taken) {
      Py_DECREF(code);
    }
  }
};

// The calls of Python around an allocation, the innermost first. Names and files are read from the
// code when somebody asks, because most stacks are never shown.
class PythonStack final : public Allocator::AllocationContext {
 public:
  struct Frame {
    PyCodeObject* code; // a reference
    int line;
  };
  ~PythonStack() override {
    for (const Frame& frame : frames) {
      DeadCode::instance().add(frame.code);
    }
  }
  std::vector<Frame> frames;
};

// Null in a thread that does not run Python. One that does has released the GIL if the tensor is
// large, and takes it again: the allocator calls this without its locks.
Allocator::Context record_stack() {
  if (!Py_IsInitialized() || PyGILState_GetThisThreadState() == nullptr) return nullptr;
  const HoldGil gil;
  // Memory is also freed while an exception is on its way.
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  DeadCode::instance().drop_all();
  auto stack = std::make_shared<PythonStack>();
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    stack->frames.push_back({PyFrame_GetCode(frame), PyFrame_GetLineNumber(frame)});
    PyFrameObject* const caller = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = caller;
  }
  PyErr_Restore(type, value, traceback);
  return stack;
}

PyObject* attribute(PyCodeObject* code, const char* name) {
  return checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), name));
}

} // namespace

PyObject* frames_of(const Allocator::Context& context) {
  THPObjectPtr list(checked(PyList_New(0)));
  const auto* stack = dynamic_cast<const PythonStack*>(context.get());
  if (stack == nullptr) return list.release();
  for (const PythonStack::Frame& frame : stack->frames) {
    const THPObjectPtr dict(checked(PyDict_New()));
    set_item(dict.get(), "filename", attribute(frame.code, "co_filename"));
    set_item(dict.get(), "line", frame.line);
    set_item(dict.get(), "name", attribute(frame.code, "co_name"));
    checked(PyList_Append(list.get(), dict.get()));
  }
  return list.release();
}

// (None) stops; (level, max_entries, clear, skipped) starts. Level and skipped actions are numbers.
PyObject* record_memory_history(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* level = nullptr;
  unsigned long long max_entries = 0;
  int clear = 0;
  PyObject* skipped = nullptr;
  if (!PyArg_ParseTuple(
          args, "OKpO!:_cuda_recordMemoryHistory", &level, &max_entries, &clear, &PyTuple_Type,
          &skipped)) {
    return nullptr;
  }
  std::unique_ptr<Allocator::HistoryOptions> options;
  if (level != Py_None) {
    options = std::make_unique<Allocator::HistoryOptions>();
    options->level =
        static_cast<Allocator::ContextLevel>(unpack_index(level, "_cuda_recordMemoryHistory"));
    options->max_entries = max_entries;
    options->recorder = &record_stack;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(skipped); ++i) {
      const auto action = unpack_index(PyTuple_GET_ITEM(skipped, i), "_cuda_recordMemoryHistory");
      options->skipped.at(static_cast<size_t>(action)) = true;
    }
  }
  Allocator::recordHistory(std::move(options), clear != 0);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* set_memory_metadata(PyObject*, PyObject* text) {
  HANDLE_TH_ERRORS
  const char* const metadata = PyUnicode_AsUTF8(text);
  if (metadata == nullptr) return nullptr;
  Allocator::setMetadata(metadata);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_memory_metadata(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(Allocator::getMetadata().c_str());
  END_HANDLE_TH_ERRORS
}

} // namespace torch::cuda
