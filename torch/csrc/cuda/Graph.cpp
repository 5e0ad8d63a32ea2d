#include <torch/csrc/cuda/Graph.h>

#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/EmptyTensor.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/Generator.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/gil.h>

#include <optional>
#include <string_view>
#include <vector>

namespace torch::cuda {

namespace {

// A generator that the graph draws from. Its seed and offset stand in device memory, so that a
// replay draws new numbers.
struct RegisteredGenerator {
  at::Generator generator;
  at::TensorBase seed;
  at::TensorBase offset;
  uint64_t words_of_graph = 0;

  at::CUDAGeneratorImpl& impl() const {
    return *static_cast<at::CUDAGeneratorImpl*>(generator.unsafeGetGeneratorImpl());
  }
};

class Graph {
 public:
  explicit Graph(bool keep_graph) : graph_(keep_graph) {}

  void register_generator(const at::Generator& generator) {
    TORCH_CHECK(
        generator.device().is_cuda(), "a graph draws from CUDA generators, not from those of ",
        generator.device());
    for (const RegisteredGenerator& each : generators_) {
      if (each.generator == generator) {
        return;
      }
    }
    const c10::cuda::CUDAGuard guard(generator.device());
    generators_.push_back(
        {generator, at::detail::empty_cuda({1}, at::kLong, generator.device()),
         at::detail::empty_cuda({1}, at::kLong, generator.device())});
    // Replays on other streams come after the allocation.
    c10::cuda::getCurrentCUDAStream().synchronize();
  }

  void capture_begin(c10::cuda::MempoolId_t pool, cudaStreamCaptureMode mode) {
    register_generator(at::cuda::detail::getDefaultCUDAGenerator());
    graph_.capture_begin(pool, mode);
    for (const RegisteredGenerator& each : generators_) {
      each.impl().capture_prologue(each.seed, each.offset);
    }
  }

  void capture_end() {
    for (RegisteredGenerator& each : generators_) {
      each.words_of_graph = each.impl().capture_epilogue();
    }
    graph_.capture_end();
  }

  void replay() {
    for (const RegisteredGenerator& each : generators_) {
      if (each.words_of_graph != 0) {
        const std::scoped_lock<std::mutex> lock(each.generator.mutex());
        each.impl().replay_prologue(each.seed, each.offset, each.words_of_graph);
        const auto stream = c10::cuda::getCurrentCUDAStream(each.generator.device().index());
        for (const at::TensorBase& used : {each.seed, each.offset}) {
          c10::cuda::CUDACachingAllocator::recordStream(used.storage().data_ptr(), stream);
        }
      }
    }
    graph_.replay();
  }

  void reset() {
    graph_.reset();
    generators_.clear();
  }
  c10::cuda::MempoolId_t pool() const { return graph_.pool(); }
  void instantiate() { graph_.instantiate(); }
  c10::cuda::CUDAGraph& recorded() { return graph_; }

 private:
  c10::cuda::CUDAGraph graph_;
  std::vector<RegisteredGenerator> generators_;
};

struct THCPGraph {
  PyObject_HEAD Graph graph;
};

PyTypeObject graph_type = static_type("torch._C._CUDAGraph", sizeof(THCPGraph));

Graph& unpack(PyObject* self) {
  return reinterpret_cast<THCPGraph*>(self)->graph;
}

PyObject* new_graph(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"keep_graph", nullptr};
  int keep_graph = 0;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|p:_CUDAGraph", const_cast<char**>(names), &keep_graph)) {
    return nullptr;
  }
  lazy_init();
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) new (&unpack(self)) Graph(keep_graph != 0);
  return self;
  END_HANDLE_TH_ERRORS
}

void dealloc(PyObject* self) {
  unpack(self).~Graph();
  Py_TYPE(self)->tp_free(self);
}

cudaStreamCaptureMode unpack_mode(std::string_view mode) {
  if (mode == "global") return cudaStreamCaptureModeGlobal;
  if (mode == "thread_local") return cudaStreamCaptureModeThreadLocal;
  TORCH_CHECK(
      mode == "relaxed",
      "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got ", mode);
  return cudaStreamCaptureModeRelaxed;
}

PyObject* capture_begin(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  static const char* names[] = {"pool", "capture_error_mode", nullptr};
  PyObject* pool = Py_None;
  const char* mode = "global";
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "|Os:capture_begin", const_cast<char**>(names), &pool, &mode)) {
    return nullptr;
  }
  unsigned long long first = 0, second = 0;
  if (pool != Py_None && !PyArg_ParseTuple(pool, "KK:pool", &first, &second)) return nullptr;
  const cudaStreamCaptureMode unpacked = unpack_mode(mode);
  {
    const WithoutGil without_gil;
    unpack(self).capture_begin({first, second}, unpacked);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

template <void (Graph::*function)()>
PyObject* call(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS {
    const WithoutGil without_gil;
    (unpack(self).*function)();
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* wrap_pool(const c10::cuda::MempoolId_t& pool) {
  return Py_BuildValue(
      "(KK)", static_cast<unsigned long long>(pool.first),
      static_cast<unsigned long long>(pool.second));
}

PyObject* pool(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return wrap_pool(unpack(self).pool());
  END_HANDLE_TH_ERRORS
}

PyObject* enable_debug_mode(PyObject* self, PyObject*) {
  unpack(self).recorded().enable_debug_mode();
  Py_RETURN_NONE;
}

PyObject* debug_dump(PyObject* self, PyObject* path) {
  HANDLE_TH_ERRORS
  const char* const name = PyUnicode_AsUTF8(path);
  if (!name) return nullptr;
  unpack(self).recorded().debug_dump(name);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* raw_graph(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromVoidPtr(unpack(self).recorded().raw_cuda_graph());
  END_HANDLE_TH_ERRORS
}
PyObject* raw_graph_exec(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromVoidPtr(unpack(self).recorded().raw_cuda_graph_exec());
  END_HANDLE_TH_ERRORS
}

PyObject* register_generator_state(PyObject* self, PyObject* generator) {
  HANDLE_TH_ERRORS
  if (!THPGenerator_Check(generator)) {
    throw_python(
        PyExc_TypeError, "expected a torch.Generator, but got %s", Py_TYPE(generator)->tp_name);
  }
  unpack(self).register_generator(THPGenerator_Unpack(generator));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"capture_begin", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(capture_begin)),
     METH_VARARGS | METH_KEYWORDS, "Start to record the work of the current stream."},
    {"capture_end", call<&Graph::capture_end>, METH_NOARGS, "Stop to record."},
    {"instantiate", call<&Graph::instantiate>, METH_NOARGS,
     "Make an executable of a kept graph, which may have been changed."},
    {"enable_debug_mode", enable_debug_mode, METH_NOARGS, "Keep the graph until debug_dump."},
    {"debug_dump", debug_dump, METH_O, "Write the graph to a file in Graphviz's format."},
    {"raw_cuda_graph", raw_graph, METH_NOARGS, "Return the cudaGraph_t of a kept graph."},
    {"raw_cuda_graph_exec", raw_graph_exec, METH_NOARGS, "Return the cudaGraphExec_t as a number."},
    {"replay", call<&Graph::replay>, METH_NOARGS, "Run the recorded work on the current stream."},
    {"reset", call<&Graph::reset>, METH_NOARGS, "Forget the recorded work."},
    {"pool", pool, METH_NOARGS, "Return the memory pool, which other graphs may share."},
    {"register_generator_state", register_generator_state, METH_O,
     "Let the recorded work draw from a generator besides the default one."},
    {nullptr, nullptr, 0, nullptr}};

PyObject* graph_pool_handle(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return wrap_pool(c10::cuda::graph_pool_handle());
  END_HANDLE_TH_ERRORS
}

PyObject* is_current_stream_capturing(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(c10::cuda::getCurrentCUDAStream().stream(), &status));
  return PyBool_FromLong(status != cudaStreamCaptureStatusNone);
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef graph_methods[] = {
    {"_graph_pool_handle", graph_pool_handle, METH_NOARGS, nullptr},
    {"_cuda_isCurrentStreamCapturing", is_current_stream_capturing, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda

bool THCPGraph_init(PyObject* module) {
  using namespace torch::cuda;
  graph_type.tp_doc = "Work of a CUDA stream that is recorded once and run many times.";
  graph_type.tp_flags |= Py_TPFLAGS_BASETYPE;
  graph_type.tp_new = new_graph;
  graph_type.tp_dealloc = dealloc;
  graph_type.tp_methods = methods;
  return PyModule_AddType(module, &graph_type) == 0;
}
