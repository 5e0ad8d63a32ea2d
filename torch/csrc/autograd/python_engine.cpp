#include <torch/csrc/autograd/python_engine.h>

#include <pthread.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/python_anomaly_mode.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_saved_variable_hooks.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>

#include <array>

namespace torch::autograd {
namespace {

struct PythonEngine final : Engine {
  static Engine& get() {
    // Never destroyed, because its threads may outlive the interpreter.
    static auto* engine = new PythonEngine();
    return *engine;
  }

  // The thread keeps one Python thread state for all its hooks, and holds the GIL only while in
  // them.
  void thread_init(c10::function_ref<void()> main) override {
    if (!Py_IsInitialized()) return Engine::thread_init(main);
    const PyGILState_STATE state = PyGILState_Ensure();
    PyThreadState* thread = PyEval_SaveThread();
    Engine::thread_init(main);
    if (!Py_IsInitialized()) return;
    PyEval_RestoreThread(thread);
    PyGILState_Release(state);
  }
  std::unique_ptr<AnomalyMetadata> make_anomaly_metadata() override {
    return std::make_unique<PyAnomalyMetadata>();
  }
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    return PyDefaultSavedVariableHooks::get_hooks();
  }
};

// ---- run_backward
enum Argument { kTensors, kGrads, kKeepGraph, kCreateGraph, kInputs, kUnreachable, kAccumulate };
constexpr std::array kArgumentNames = {"tensors",        "grad_tensors", "keep_graph",
                                       "create_graph",   "inputs",       "allow_unreachable",
                                       "accumulate_grad"};
using Arguments = std::array<PyObject*, kArgumentNames.size()>;

Arguments parse(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  Arguments parsed{};
  const Py_ssize_t most = static_cast<Py_ssize_t>(parsed.size());
  if (nargs > most) throw_python(PyExc_TypeError, "run_backward() takes %zd arguments", most);
  std::copy(args, args + nargs, parsed.begin());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    size_t place = 0;
    while (place < parsed.size() &&
           PyUnicode_CompareWithASCIIString(name, kArgumentNames[place]) != 0)
      ++place;
    if (place == parsed.size() || parsed[place]) {
      throw_python(PyExc_TypeError, "run_backward() got an unexpected argument '%U'", name);
    }
    parsed[place] = args[nargs + k];
  }
  for (const Argument required : {kTensors, kGrads}) {
    if (!parsed[required] || !PyTuple_Check(parsed[required])) {
      throw_python(
          PyExc_TypeError, "%s argument is expected to be a tuple, but got %s",
          kArgumentNames[required],
          parsed[required] ? Py_TYPE(parsed[required])->tp_name : "nothing");
    }
  }
  return parsed;
}

bool truth(PyObject* object, bool otherwise) {
  if (!object) return otherwise;
  const int value = PyObject_IsTrue(object);
  checked(value);
  return value != 0;
}

// A torch.autograd.graph.GradientEdge: a named tuple of a node and the number of its input.
bool is_gradient_edge(PyObject* object) {
  return PyTuple_Check(object) && PyTuple_GET_SIZE(object) >= 2 &&
      node_of(PyTuple_GET_ITEM(object, 0));
}

Edge unpack_gradient_edge(PyObject* object) {
  return {
      node_of(PyTuple_GET_ITEM(object, 0)),
      static_cast<uint32_t>(unpack_long(PyTuple_GET_ITEM(object, 1)))};
}

Edge root_of(PyObject* object, Py_ssize_t index) {
  Edge edge;
  if (THPVariable_Check(object)) {
    edge = impl::gradient_edge(THPVariable_Unpack(object));
  } else if (is_gradient_edge(object)) {
    edge = unpack_gradient_edge(object);
  } else {
    throw_python(
        PyExc_TypeError, "element %zd of tensors tuple is not a Tensor or a GradientEdge", index);
  }
  TORCH_CHECK(
      edge.function, "element ", index,
      " of tensors does not require grad and does not have a grad_fn");
  return edge;
}

Variable gradient_of(PyObject* object, PyObject* tensor, Py_ssize_t index) {
  if (THPVariable_Check(object)) return THPVariable_Unpack(object);
  if (object != Py_None) {
    throw_python(PyExc_TypeError, "element %zd of gradients tuple is not a Tensor or None", index);
  }
  TORCH_CHECK(
      !THPVariable_Check(tensor) || !THPVariable_Unpack(tensor).requires_grad(), "element ", index,
      " of gradients tuple is None, but the corresponding Tensor requires grad");
  return {};
}

Edge output_of(PyObject* object, bool accumulate) {
  if (is_gradient_edge(object)) return unpack_gradient_edge(object);
  if (!THPVariable_Check(object)) {
    throw_python(
        PyExc_RuntimeError, "all inputs have to be Tensors or GradientEdges, but got %s",
        Py_TYPE(object)->tp_name);
  }
  const at::Tensor& tensor = THPVariable_Unpack(object);
  if (accumulate) tensor.retain_grad();
  TORCH_CHECK(tensor.requires_grad(), "One of the differentiated Tensors does not require grad");
  return impl::gradient_edge(tensor);
}

PyObject* wrap_results(const variable_list& grads, bool allow_unreachable) {
  for (size_t i = 0; i < grads.size(); ++i) {
    TORCH_CHECK(
        allow_unreachable || grads[i].defined(), "The differentiated Tensor at index ", i,
        " appears to not have been used in the graph. Set allow_unused=True if this is the "
        "desired behavior.");
  }
  return wrap(at::ArrayRef<at::Tensor>(grads));
}

PyObject* run_backward(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  const Arguments given = parse(args, nargs, kwnames);
  const bool accumulate = truth(given[kAccumulate], false);
  const Py_ssize_t count = PyTuple_GET_SIZE(given[kTensors]);
  TORCH_CHECK(
      PyTuple_GET_SIZE(given[kGrads]) == count, "got ", count, " tensors and ",
      PyTuple_GET_SIZE(given[kGrads]), " gradients");
  edge_list roots;
  variable_list grads;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* tensor = PyTuple_GET_ITEM(given[kTensors], i);
    roots.push_back(root_of(tensor, i));
    grads.push_back(gradient_of(PyTuple_GET_ITEM(given[kGrads], i), tensor, i));
  }
  edge_list outputs;
  if (given[kInputs]) {
    const THPObjectPtr inputs(
        checked(PySequence_Fast(given[kInputs], "inputs to run_backward must be a tuple")));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(inputs.get()); ++i)
      outputs.push_back(output_of(PySequence_Fast_GET_ITEM(inputs.get(), i), accumulate));
  }
  const bool keep_graph = truth(given[kKeepGraph], false);
  const bool create_graph = truth(given[kCreateGraph], false);
  variable_list results;
  {
    const WithoutGil without;
    results =
        PythonEngine::get().execute(roots, grads, keep_graph, create_graph, accumulate, outputs);
  }
  if (accumulate || outputs.empty()) Py_RETURN_NONE;
  return wrap_results(results, truth(given[kUnreachable], false));
  END_HANDLE_TH_ERRORS
}

PyObject* queue_callback(PyObject*, PyObject* callback) {
  HANDLE_TH_ERRORS
  const std::shared_ptr<PyObject> owned(Py_NewRef(callback), drop_with_gil);
  PythonEngine::get().queue_callback([owned] {
    with_gil([&] { const THPObjectPtr nothing(checked(PyObject_CallNoArgs(owned.get()))); });
  });
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* is_checkpoint_valid(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return wrap(PythonEngine::get().is_checkpoint_valid());
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"run_backward", method(run_backward), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"queue_callback", queue_callback, METH_O, nullptr},
    {"is_checkpoint_valid", is_checkpoint_valid, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject type = static_type("torch._C._ImperativeEngine", sizeof(PyObject));

} // namespace

bool THPEngine_initModule(PyObject* module) {
  set_default_engine_stub(PythonEngine::get);
  pthread_atfork(nullptr, nullptr, [] { PythonEngine::get().stop(); });
  type.tp_methods = methods;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_new = PyType_GenericNew;
  return PyType_Ready(&type) == 0 &&
      PyModule_AddObjectRef(module, "_ImperativeEngine", reinterpret_cast<PyObject*>(&type)) == 0 &&
      PyModule_AddObjectRef(module, "_EngineBase", reinterpret_cast<PyObject*>(&type)) == 0;
}

} // namespace torch::autograd
