#include <torch/csrc/autograd/python_operator_profiler.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/MemoryReport.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/node_observer.h>
#include <torch/csrc/autograd/python_profiled_inputs.h>
#include <torch/csrc/autograd/python_operator_flops.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/library.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace torch::autograd {

namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;

// A key without kernels of its own, below that of the operator recorder. While a thread includes
// it, each of its calls goes through the fallback below, those from C++ as well.
constexpr DispatchKey kKey = DispatchKey::TESTING_ONLY_GenericWrapper;

// Python's (code object, line) pairs, innermost first. Calls inside a call share its stack.
using PythonStack = std::shared_ptr<PyObject>;

// What an event is, with PyTorch's numbers.
enum class Scope : uint8_t { Function = 0, BackwardFunction = 1, User = 7 };

struct Event {
  std::string name;
  std::string overload;
  int64_t begin = 0; // nanoseconds of the monotonic clock
  int64_t end = 0;
  int64_t thread = 0;
  std::vector<ProfiledInput> inputs;
  int64_t flops = 0;
  int64_t sequence_nr = -1; // of the node that the call creates next, or that runs
  PythonStack stack;
  Scope scope = Scope::Function;
};

struct Allocation {
  int64_t time;
  int64_t thread;
  int64_t bytes; // negative for a release
  int64_t address;
};

struct Profiler {
  std::mutex mutex;
  std::vector<Event> events;
  std::vector<Allocation> allocations;
  bool shapes = false;
  bool stacks = false;
  bool flops = false;
  std::atomic<bool> paused = false;
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

PythonStack python_stack() {
  const HoldGil gil;
  THPObjectPtr frames(PyList_New(0));
  THPObjectPtr frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frames && frame) {
    auto* const here = reinterpret_cast<PyFrameObject*>(frame.get());
    const THPObjectPtr code(reinterpret_cast<PyObject*>(PyFrame_GetCode(here)));
    const THPObjectPtr pair(Py_BuildValue("(Oi)", code.get(), PyFrame_GetLineNumber(here)));
    if (!pair || PyList_Append(frames.get(), pair.get()) < 0) break;
    frame = THPObjectPtr(reinterpret_cast<PyObject*>(PyFrame_GetBack(here)));
  }
  PyErr_Clear();
  return {frames.release(), &drop_with_gil};
}

// The calls that a thread has begun and not ended.
std::vector<Event>& open_calls() {
  thread_local std::vector<Event> calls;
  return calls;
}

void begin_call(std::string name, std::string overload) {
  Event event;
  event.name = std::move(name);
  event.overload = std::move(overload);
  event.thread = thread_number();
  if (profiler().stacks)
    event.stack = open_calls().empty() ? python_stack() : open_calls().back().stack;
  event.begin = now();
  open_calls().push_back(std::move(event));
}

void end_call() {
  Event event = std::move(open_calls().back());
  open_calls().pop_back();
  event.end = now();
  const std::lock_guard<std::mutex> lock(profiler().mutex);
  profiler().events.push_back(std::move(event));
}

struct OpenCall {
  OpenCall(std::string name, std::string overload) {
    begin_call(std::move(name), std::move(overload));
  }
  ~OpenCall() { end_call(); }
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
};

void profile(const c10::OperatorHandle& op, DispatchKeySet keys, jit::Stack* stack) {
  const DispatchKeySet below = keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, kKey);
  if (profiler().paused) {
    op.redispatchBoxed(below, stack);
    return;
  }
  const OpenCall call(op.operator_name().name, op.operator_name().overload_name);
  Event& event = open_calls().back();
  const size_t arguments = op.schema().arguments().size();
  if (keys.has_any(c10::autograd_dispatch_keyset) && c10::GradMode::is_enabled())
    event.sequence_nr = static_cast<int64_t>(peek_sequence_nr());
  if (profiler().shapes) event.inputs = profiled_inputs(*stack, arguments);
  if (profiler().flops) event.flops = operator_flops(event.name, *stack, arguments);
  op.redispatchBoxed(below, stack);
}

struct BackwardObserver final : NodeObserver {
  void begin(const Node& node, const char* prefix, const variable_list* inputs) override {
    begin_call(prefix + node.name(), "");
    Event& event = open_calls().back();
    event.sequence_nr = static_cast<int64_t>(node.sequence_nr());
    if (!inputs) return;
    event.scope = Scope::BackwardFunction;
    if (profiler().shapes) event.inputs = profiled_inputs(*inputs);
  }
  void end() override {
    if (!open_calls().empty()) end_call();
  }
};

void record_allocation(void* memory, int64_t bytes) {
  if (profiler().paused) return;
  const std::lock_guard<std::mutex> lock(profiler().mutex);
  profiler().allocations.push_back(
      {now(), thread_number(), bytes, reinterpret_cast<int64_t>(memory)});
}

PyObject* begin_block(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* const text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  begin_call(text, "");
  Event& event = open_calls().back();
  event.scope = Scope::User;
  if (profiler().shapes) event.inputs.emplace_back(); // PyTorch's blocks have one argument
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* end_block(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  if (!open_calls().empty()) end_call();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* pause(PyObject*, PyObject* paused) {
  HANDLE_TH_ERRORS
  profiler().paused = paused == Py_True;
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* start(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  int shapes = 0, memory = 0, stacks = 0, flops = 0;
  if (!PyArg_ParseTuple(args, "p|ppp", &shapes, &memory, &stacks, &flops)) return nullptr;
  static BackwardObserver observer;
  TORCH_CHECK(!profiler().fallback, "Profiler is already enabled on this thread");
  profiler().events.clear();
  profiler().allocations.clear();
  profiler().shapes = shapes == 1;
  profiler().stacks = stacks == 1;
  profiler().flops = flops == 1;
  profiler().paused = false;
  profiler().fallback.emplace(Library::IMPL, "_", kKey, __FILE__, __LINE__);
  profiler().fallback->fallback(CppFunction::makeFromBoxedFunction<&profile>());
  c10::impl::tls_set_dispatch_key_included(kKey, true);
  node_observer.store(&observer);
  if (memory) c10::impl::memory_report.store(&record_allocation);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* event_to_python(const Event& event) {
  const THPObjectPtr inputs(inputs_to_python(event.inputs));
  if (!inputs) return nullptr;
  const long long begin = event.begin, end = event.end, thread = event.thread;
  const long long flops = event.flops, sequence_nr = event.sequence_nr;
  PyObject* const stack = event.stack ? event.stack.get() : Py_None;
  const int scope = static_cast<int>(event.scope);
  return Py_BuildValue(
      "(ssLLLOOiLL)", event.name.c_str(), event.overload.c_str(), begin, end, thread, inputs.get(),
      stack, scope, flops, sequence_nr);
}

PyObject* allocation_to_python(const Allocation& allocation) {
  const long long time = allocation.time, thread = allocation.thread, bytes = allocation.bytes;
  const long long address = allocation.address;
  return Py_BuildValue("(LLLL)", time, thread, bytes, address);
}

template <typename Record>
PyObject* list_of(const std::vector<Record>& records, PyObject* (*convert)(const Record&)) {
  THPObjectPtr found(PyList_New(0));
  if (!found) return nullptr;
  for (const Record& record : records) {
    const THPObjectPtr row(convert(record));
    if (!row || PyList_Append(found.get(), row.get()) < 0) return nullptr;
  }
  return found.release();
}

// Returns (name, overload, begin, end, thread, inputs, stack, scope, flops, sequence_nr) of each
// call, in the order in which the calls ended, and (time, thread, bytes, address) of each
// allocation.
PyObject* stop(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(profiler().fallback, "Can't disable profiler when it's not running");
  c10::impl::memory_report.store(nullptr);
  node_observer.store(nullptr);
  c10::impl::tls_set_dispatch_key_included(kKey, false);
  profiler().fallback.reset();
  std::vector<Event> events;
  std::vector<Allocation> allocations;
  {
    const std::lock_guard<std::mutex> lock(profiler().mutex);
    events.swap(profiler().events);
    allocations.swap(profiler().allocations);
  }
  const THPObjectPtr calls(list_of(events, &event_to_python));
  if (!calls) return nullptr;
  const THPObjectPtr memory(list_of(allocations, &allocation_to_python));
  return memory ? PyTuple_Pack(2, calls.get(), memory.get()) : nullptr;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef profiler_methods[] = {
    {"_start_profiling_operators", start, METH_VARARGS, nullptr},
    {"_pause_profiling_operators", pause, METH_O, nullptr},
    {"_stop_profiling_operators", stop, METH_NOARGS, nullptr},
    {"_begin_profiled_block", begin_block, METH_O, nullptr},
    {"_end_profiled_block", end_block, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::autograd
