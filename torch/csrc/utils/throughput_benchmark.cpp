#include <torch/csrc/utils/throughput_benchmark.h>

#include <ATen/ThreadLocalState.h>
#include <c10/util/Exception.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace torch {

namespace {

struct Benchmark {
  PyObject_HEAD PyObject* callable;
  PyObject* inputs; // a list of pairs: positional and keyword arguments
};

Benchmark& unpack(PyObject* self) {
  return *reinterpret_cast<Benchmark*>(self);
}

struct Config {
  int64_t calling_threads;
  int64_t warmup_iterations;
  int64_t iterations;
};

// One measurement. Every thread first calls with all inputs in turn, to warm up; then all start
// together and share the iterations, each with an input of its own random choice. They have the
// settings of the thread that measures, such as no_grad.
class Run {
 public:
  Run(const Benchmark& benchmark, const Config& config)
      : benchmark_(benchmark), config_(config), start_(config.calling_threads + 1) {}

  // Returns the seconds that the iterations took. Called without the GIL.
  double measure() {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(config_.calling_threads));
    for (int64_t i = 0; i < config_.calling_threads; ++i) {
      threads.emplace_back([this, i] { work(static_cast<uint64_t>(i)); });
    }
    start_.arrive_and_wait();
    const auto start = std::chrono::steady_clock::now();
    for (std::thread& thread : threads) {
      thread.join();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (error_) std::rethrow_exception(error_);
    return seconds.count();
  }

 private:
  void work(uint64_t seed) {
    const at::ThreadLocalStateGuard settings(settings_);
    std::mt19937_64 random(seed);
    const auto inputs = static_cast<size_t>(PyList_GET_SIZE(benchmark_.inputs));
    attempt([&] {
      for (int64_t i = 0; i < config_.warmup_iterations && !failed_; ++i) {
        call(static_cast<size_t>(i) % inputs);
      }
    });
    start_.arrive_and_wait();
    attempt([&] {
      while (!failed_ && next_++ < config_.iterations) {
        call(random() % inputs);
      }
    });
  }

  void call(size_t input) {
    with_gil([&] {
      PyObject* const pair = PyList_GET_ITEM(benchmark_.inputs, static_cast<Py_ssize_t>(input));
      const THPObjectPtr result(checked(PyObject_Call(
          benchmark_.callable, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1))));
    });
  }

  template <typename F>
  void attempt(const F& f) {
    try {
      f();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }

  const Benchmark& benchmark_;
  Config config_;
  at::ThreadLocalState settings_;
  std::barrier<> start_;
  std::atomic<int64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

int64_t unpack_count(PyObject* config, const char* name, int64_t least) {
  const THPObjectPtr number(checked(PyObject_GetAttrString(config, name)));
  const int64_t count = unpack_long(number.get());
  TORCH_CHECK_VALUE(count >= least, name, " must be at least ", least, ", not ", count);
  return count;
}

PyObject* new_benchmark(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  PyObject* callable = nullptr;
  static const char* names[] = {"module", nullptr};
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O:ThroughputBenchmark", const_cast<char**>(names), &callable)) {
    return nullptr;
  }
  if (!PyCallable_Check(callable)) {
    throw_python(
        PyExc_TypeError, "ThroughputBenchmark expects a callable, not %s",
        Py_TYPE(callable)->tp_name);
  }
  THPObjectPtr self(checked(type->tp_alloc(type, 0)));
  unpack(self.get()).callable = Py_NewRef(callable);
  unpack(self.get()).inputs = checked(PyList_New(0));
  return self.release();
  END_HANDLE_TH_ERRORS
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(unpack(self).callable);
  Py_VISIT(unpack(self).inputs);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(unpack(self).callable);
  Py_CLEAR(unpack(self).inputs);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  Py_TYPE(self)->tp_free(self);
}

PyObject* add_input(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  const THPObjectPtr keywords(kwargs ? Py_NewRef(kwargs) : checked(PyDict_New()));
  const THPObjectPtr pair(checked(PyTuple_Pack(2, args, keywords.get())));
  checked(PyList_Append(unpack(self).inputs, pair.get()));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* run_once(PyObject* self, PyObject* args, PyObject* kwargs) {
  return PyObject_Call(unpack(self).callable, args, kwargs);
}

// Returns the average latency of a call in milliseconds.
PyObject* benchmark(PyObject* self, PyObject* config) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(
      PyList_GET_SIZE(unpack(self).inputs) > 0, "there are no inputs: call add_input() first");
  const Config parsed{
      unpack_count(config, "num_calling_threads", 1), unpack_count(config, "num_warmup_iters", 0),
      unpack_count(config, "num_iters", 1)};
  Run run(unpack(self), parsed);
  double seconds = 0;
  {
    const WithoutGil guard;
    seconds = run.measure();
  }
  return PyFloat_FromDouble(
      seconds * 1000 * static_cast<double>(parsed.calling_threads) /
      static_cast<double>(parsed.iterations));
  END_HANDLE_TH_ERRORS
}

PyCFunction with_keywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"add_input", with_keywords(add_input), METH_VARARGS | METH_KEYWORDS,
     "Keep the arguments of a call, for the calls that are measured."},
    {"run_once", with_keywords(run_once), METH_VARARGS | METH_KEYWORDS,
     "Call the module or function once, and return its result."},
    {"benchmark", benchmark, METH_O,
     "Measure calls with the numbers of a configuration, and return the statistics."},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject benchmark_type = static_type("torch._C.ThroughputBenchmark", sizeof(Benchmark));

} // namespace

bool init_throughput_benchmark(PyObject* module) {
  benchmark_type.tp_doc =
      "Measures the calls of a module or function; see torch.utils.ThroughputBenchmark.";
  benchmark_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  benchmark_type.tp_new = new_benchmark;
  benchmark_type.tp_dealloc = dealloc;
  benchmark_type.tp_traverse = traverse;
  benchmark_type.tp_clear = clear;
  benchmark_type.tp_methods = methods;
  return PyModule_AddType(module, &benchmark_type) == 0;
}

} // namespace torch
