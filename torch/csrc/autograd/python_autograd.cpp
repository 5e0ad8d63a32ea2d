#include <torch/csrc/autograd/python_autograd.h>

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/engine_streams.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_saved_variable.h>
#include <torch/csrc/autograd/python_saved_variable_hooks.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/utils/object_ptr.h>

#include <optional>

namespace torch::autograd {
namespace {

bool truth(PyObject* object) {
  const int value = PyObject_IsTrue(object);
  checked(value);
  return value != 0;
}

// ---- thread-local switches
PyObject* is_grad_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::GradMode::is_enabled());
}
PyObject* set_grad_enabled(PyObject*, PyObject* enabled) {
  HANDLE_TH_ERRORS
  if (!PyBool_Check(enabled)) {
    throw_python(
        PyExc_TypeError, "set_grad_enabled(): argument 'enabled' must be bool, not %s",
        Py_TYPE(enabled)->tp_name);
  }
  c10::GradMode::set_enabled(enabled == Py_True);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* is_inference_mode_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::InferenceMode::is_enabled());
}
PyObject* is_multithreading_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(!c10::autograd_state.multithreading_disabled);
}
PyObject* set_multithreading_enabled(PyObject*, PyObject* enabled) {
  HANDLE_TH_ERRORS
  c10::autograd_state.multithreading_disabled = !truth(enabled);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* set_warn_on_stream_mismatch(PyObject*, PyObject* enabled) {
  HANDLE_TH_ERRORS
  set_warn_on_accumulate_grad_stream_mismatch(truth(enabled));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* is_layout_enforced(PyObject*, PyObject*) {
  return PyBool_FromLong(is_grad_layout_enforced());
}
PyObject* set_layout_enforced(PyObject*, PyObject* enforced) {
  HANDLE_TH_ERRORS
  set_grad_layout_enforced(truth(enforced));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// ---- anomaly mode, process-wide
PyObject* is_anomaly_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(AnomalyMode::is_enabled());
}
PyObject* is_anomaly_check_nan_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(AnomalyMode::should_check_nan());
}
PyObject* set_anomaly_enabled(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"enabled", "check_nan", nullptr};
  int enabled = 0, check_nan = 1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "p|p:set_anomaly_enabled", const_cast<char**>(names), &enabled,
          &check_nan)) {
    return nullptr;
  }
  AnomalyMode::set_enabled(enabled, check_nan);
  Py_RETURN_NONE;
}

// ---- the current backward pass
PyObject* current_graph_task_id(PyObject*, PyObject*) {
  return PyLong_FromLong(get_current_graph_task_id());
}
PyObject* current_autograd_node(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return functionToPyObject(get_current_node());
  END_HANDLE_TH_ERRORS
}
PyObject* will_engine_execute_node(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  const auto node = node_of(object);
  TORCH_CHECK_TYPE(
      node, "_will_engine_execute_node expects an grad_fn, but got ", Py_TYPE(object)->tp_name);
  const GraphTask* task = get_current_graph_task();
  TORCH_CHECK(task, "_get_should_execute_nodes should only be called during the backward pass");
  // A pass for all leaves runs every node that it finds.
  const bool found = task->states_.find(node.get()) != NodeStates::kNone;
  return wrap(found && task->executes(node.get()));
  END_HANDLE_TH_ERRORS
}
PyObject* current_graph_task_execution_order(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr list(checked(PyList_New(0)));
  for (Node* node : get_current_graph_task_execution_order()) {
    const THPObjectPtr object(functionToPyObject(node->getptr()));
    checked(PyList_Append(list.get(), object.get()));
  }
  return list.release();
  END_HANDLE_TH_ERRORS
}

const at::Tensor& unpack_tensor(PyObject* object, const char* complaint) {
  TORCH_CHECK(THPVariable_Check(object), complaint);
  return THPVariable_Unpack(object);
}

PyObject* increment_version(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  const at::Tensor& changed =
      unpack_tensor(tensor, "increment_version expect a Iterable[Tensor] as input");
  if (!changed.is_inference()) impl::bump_version(changed);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef torch_methods[] = {
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS,
     "is_grad_enabled() -> bool\n"
     "\n"
     "Return whether operations are recorded for gradients in this thread.\n"
     "\n"
     "Example:\n"
     "    >>> with torch.no_grad():\n"
     "    ...     print(torch.is_grad_enabled())\n"
     "    False"},
    {"_set_grad_enabled", set_grad_enabled, METH_O, nullptr},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS,
     "is_inference_mode_enabled() -> bool\n"
     "\n"
     "Return whether this thread is in inference mode."},
    {"_is_multithreading_enabled", is_multithreading_enabled, METH_NOARGS, nullptr},
    {"_set_multithreading_enabled", set_multithreading_enabled, METH_O, nullptr},
    {"_set_warn_on_accumulate_grad_stream_mismatch", set_warn_on_stream_mismatch, METH_O, nullptr},
    {"_is_grad_layout_enforced", is_layout_enforced, METH_NOARGS, nullptr},
    {"_set_grad_layout_enforced", set_layout_enforced, METH_O, nullptr},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS,
     "is_anomaly_enabled() -> bool\n"
     "\n"
     "Return whether anomaly mode is on."},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan_enabled, METH_NOARGS,
     "is_anomaly_check_nan_enabled() -> bool\n"
     "\n"
     "Return whether anomaly mode checks gradients for NaN."},
    {"set_anomaly_enabled",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(set_anomaly_enabled)),
     METH_VARARGS | METH_KEYWORDS,
     "set_anomaly_enabled(mode, check_nan=True) -> None\n"
     "\n"
     "Set whether anomaly mode is on: errors in backward show the operation of the forward pass.\n"
     "\n"
     "Args:\n"
     "    mode: Whether it is on.\n"
     "    check_nan: Whether a gradient with NaN is an error."},
    {"_current_graph_task_id", current_graph_task_id, METH_NOARGS, nullptr},
    {"_current_autograd_node", current_autograd_node, METH_NOARGS, nullptr},
    {"_will_engine_execute_node", will_engine_execute_node, METH_O, nullptr},
    {"_current_graph_task_execution_order", current_graph_task_execution_order, METH_NOARGS,
     nullptr},
    {"_increment_version", increment_version, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// ---- torch._C._autograd
PyObject* push_hooks(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *pack = nullptr, *unpack = nullptr;
  if (!PyArg_UnpackTuple(args, "_push_saved_tensors_default_hooks", 2, 2, &pack, &unpack))
    return nullptr;
  PyDefaultSavedVariableHooks::push_hooks(pack, unpack);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* pop_hooks(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  PyDefaultSavedVariableHooks::pop_hooks();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* disable_hooks(PyObject*, PyObject* message) {
  HANDLE_TH_ERRORS
  const char* text = PyUnicode_AsUTF8(message);
  if (!text) return nullptr;
  PyDefaultSavedVariableHooks::disable(std::string(text));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* enable_hooks(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  PyDefaultSavedVariableHooks::disable(std::nullopt);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}
PyObject* hooks_are_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(!PyDefaultSavedVariableHooks::disabled_message());
}
PyObject* hooks_disabled_message(PyObject*, PyObject*) {
  const auto& message = PyDefaultSavedVariableHooks::disabled_message();
  if (!message) Py_RETURN_NONE;
  return PyUnicode_FromString(message->c_str());
}
PyObject* get_sequence_nr(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(peek_sequence_nr());
}
PyObject* get_grad_accumulator(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return functionToPyObject(
      impl::grad_accumulator(unpack_tensor(tensor, "_get_grad_accumulator expects a Tensor")));
  END_HANDLE_TH_ERRORS
}

PyMethodDef autograd_methods[] = {
    {"_push_saved_tensors_default_hooks", push_hooks, METH_VARARGS, nullptr},
    {"_pop_saved_tensors_default_hooks", pop_hooks, METH_NOARGS, nullptr},
    {"_saved_tensors_hooks_disable", disable_hooks, METH_O, nullptr},
    {"_saved_tensors_hooks_enable", enable_hooks, METH_NOARGS, nullptr},
    {"_saved_tensors_hooks_is_enabled", hooks_are_enabled, METH_NOARGS, nullptr},
    {"_saved_tensors_hooks_get_disabled_error_message", hooks_disabled_message, METH_NOARGS,
     nullptr},
    {"_get_sequence_nr", get_sequence_nr, METH_NOARGS, nullptr},
    {"_get_grad_accumulator", get_grad_accumulator, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    "torch._C._autograd",
    nullptr,
    -1,
    autograd_methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

// ---- torch._C._InferenceMode: a context manager around the C++ guard
struct THPInferenceMode {
  PyObject_HEAD bool mode;
  std::optional<c10::InferenceMode> guard;
};

PyTypeObject inference_mode_type = static_type("torch._C._InferenceMode", sizeof(THPInferenceMode));

THPInferenceMode* cast(PyObject* self) {
  return reinterpret_cast<THPInferenceMode*>(self);
}

PyObject* new_inference_mode(PyTypeObject* type, PyObject* args, PyObject*) {
  int mode = 1;
  if (!PyArg_ParseTuple(args, "|p:_InferenceMode", &mode)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  cast(self)->mode = mode;
  new (&cast(self)->guard) std::optional<c10::InferenceMode>();
  return self;
}
void dealloc_inference_mode(PyObject* self) {
  cast(self)->guard.~optional();
  Py_TYPE(self)->tp_free(self);
}
PyObject* enter_inference_mode(PyObject* self, PyObject*) {
  cast(self)->guard.emplace(cast(self)->mode);
  Py_RETURN_NONE;
}
PyObject* exit_inference_mode(PyObject* self, PyObject*) {
  cast(self)->guard.reset();
  Py_RETURN_NONE;
}
PyMethodDef inference_mode_methods[] = {
    {"__enter__", enter_inference_mode, METH_NOARGS, nullptr},
    {"__exit__", exit_inference_mode, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef* python_functions() {
  return torch_methods;
}

bool THPAutograd_init(PyObject* module) {
  PyObject* submodule = PyModule_Create(&module_definition);
  if (!submodule || !THPSavedVariable_init(submodule)) return false;
  inference_mode_type.tp_new = new_inference_mode;
  inference_mode_type.tp_dealloc = dealloc_inference_mode;
  inference_mode_type.tp_methods = inference_mode_methods;
  return PyModule_AddObject(module, "_autograd", submodule) == 0 &&
      PyType_Ready(&inference_mode_type) == 0 &&
      PyModule_AddObjectRef(
          module, "_InferenceMode", reinterpret_cast<PyObject*>(&inference_mode_type)) == 0;
}

} // namespace torch::autograd
