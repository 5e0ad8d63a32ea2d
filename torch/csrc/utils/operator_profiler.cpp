#include <torch/csrc/utils/operator_profiler.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/library.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torch {

namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::IValue;

// A key without kernels of its own, below that of the operator recorder. While a thread includes
// it, each of its calls goes through the fallback below, those from C++ as well.
constexpr DispatchKey kKey = DispatchKey::TESTING_ONLY_GenericWrapper;

struct Event {
  std::string name;
  int64_t begin; // nanoseconds of the monotonic clock
  int64_t end;
  int64_t thread;
  std::vector<std::vector<int64_t>> shapes; // of the arguments; empty for what is no tensor
};

struct Profiler {
  std::mutex mutex;
  std::vector<Event> events;
  bool shapes = false;
  std::optional<Library> fallback;
};

Profiler& profiler() {
  static auto* instance = new Profiler;
  return *instance;
}

int64_t now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

// A small number for the running thread: threads are numbered in the order of their first event.
int64_t thread_number() {
  static std::atomic<int64_t> count{0};
  thread_local const int64_t number = ++count;
  return number;
}

std::vector<std::vector<int64_t>> shapes_of(const jit::Stack& stack, size_t arguments) {
  std::vector<std::vector<int64_t>> found;
  for (size_t i = stack.size() - arguments; i < stack.size(); ++i) {
    std::vector<int64_t> sizes;
    if (stack[i].isTensor() && stack[i].toTensor().defined())
      sizes = stack[i].toTensor().sizes().vec();
    found.push_back(std::move(sizes));
  }
  return found;
}

void profile(const c10::OperatorHandle& op, DispatchKeySet keys, jit::Stack* stack) {
  Event event;
  event.name = op.operator_name().name;
  event.thread = thread_number();
  if (profiler().shapes) event.shapes = shapes_of(*stack, op.schema().arguments().size());
  event.begin = now();
  op.redispatchBoxed(keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, kKey), stack);
  event.end = now();
  const std::lock_guard<std::mutex> lock(profiler().mutex);
  profiler().events.push_back(std::move(event));
}

PyObject* start(PyObject*, PyObject* record_shapes) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(!profiler().fallback, "Profiler is already enabled on this thread");
  const int shapes = PyObject_IsTrue(record_shapes);
  if (shapes < 0) return nullptr;
  profiler().events.clear();
  profiler().shapes = shapes == 1;
  profiler().fallback.emplace(Library::IMPL, "_", kKey, __FILE__, __LINE__);
  profiler().fallback->fallback(CppFunction::makeFromBoxedFunction<&profile>());
  c10::impl::tls_set_dispatch_key_included(kKey, true);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* shapes_to_python(const Event& event) {
  THPObjectPtr shapes(PyList_New(0));
  if (!shapes) return nullptr;
  for (const auto& sizes : event.shapes) {
    THPObjectPtr list(PyList_New(0));
    if (!list || PyList_Append(shapes.get(), list.get()) < 0) return nullptr;
    for (const int64_t size : sizes) {
      THPObjectPtr number(PyLong_FromLongLong(size));
      if (!number || PyList_Append(list.get(), number.get()) < 0) return nullptr;
    }
  }
  return shapes.release();
}

// Returns (name, begin, end, thread, shapes) of each call, in the order in which the calls ended.
PyObject* stop(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(profiler().fallback, "Can't disable profiler when it's not running");
  c10::impl::tls_set_dispatch_key_included(kKey, false);
  profiler().fallback.reset();
  std::vector<Event> events;
  {
    const std::lock_guard<std::mutex> lock(profiler().mutex);
    events.swap(profiler().events);
  }
  THPObjectPtr found(PyList_New(0));
  if (!found) return nullptr;
  for (const Event& event : events) {
    THPObjectPtr shapes(shapes_to_python(event));
    if (!shapes) return nullptr;
    const long long begin = event.begin, end = event.end, thread = event.thread;
    THPObjectPtr row(
        Py_BuildValue("(sLLLO)", event.name.c_str(), begin, end, thread, shapes.get()));
    if (!row || PyList_Append(found.get(), row.get()) < 0) return nullptr;
  }
  return found.release();
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef profiler_methods[] = {
    {"_start_profiling_operators", start, METH_O, nullptr},
    {"_stop_profiling_operators", stop, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch
