// caffe2.python.caffe2_pybind11_state: workspaces, nets and gradients for caffe2.python.
// Definitions cross as bytes of protocol buffers, and tensors as torch.Tensor. It is part of
// libtorch_python, which alone knows the objects of torch.Tensor; the extension module is a stub.
#include <caffe2/contrib/aten/keys.h>
#include <caffe2/core/serialized.h>
#include <caffe2/python/pybind_state.h>
#include <caffe2/python/workspaces.h>

#include <ATen/ops/detach.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

namespace caffe2::python {

namespace {

using torch::checked;

// It is never destroyed: at exit, tensors that Python knows may no longer be freed.
Workspaces& workspaces() {
  static auto& all = *new Workspaces();
  return all;
}

std::string text(PyObject* object) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object, &size);
  if (!data) torch::throw_python_error();
  return {data, static_cast<size_t>(size)};
}

std::string bytes(PyObject* object) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  torch::checked(PyBytes_AsStringAndSize(object, &data, &size));
  return {data, static_cast<size_t>(size)};
}

PyObject* from_text(const std::string& value) {
  return checked(PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

PyObject* from_bytes(const std::string& value) {
  return checked(PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

PyObject* list_of(
    const std::vector<std::string>& values, PyObject* (*convert)(const std::string&)) {
  THPObjectPtr list(checked(PyList_New(static_cast<Py_ssize_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), convert(values[i]));
  }
  return list.release();
}

// The arguments of a call, whose number must be right.
class Arguments {
 public:
  Arguments(const char* function, PyObject* const* values, Py_ssize_t count, Py_ssize_t expected)
      : values_(values) {
    if (count != expected) {
      torch::throw_python(
          PyExc_TypeError, "%s() takes %zd arguments (%zd given)", function, expected, count);
    }
  }
  PyObject* operator[](size_t index) const { return values_[index]; }

 private:
  PyObject* const* values_;
};

#define CAFFE2_FUNCTION(name, count)                                     \
  PyObject* name##_of(const Arguments& args);                            \
  PyObject* name(PyObject*, PyObject* const* values, Py_ssize_t given) { \
    HANDLE_TH_ERRORS                                                     \
    return name##_of(Arguments(#name, values, given, count));            \
    END_HANDLE_TH_ERRORS                                                 \
  }                                                                      \
  PyObject* name##_of([[maybe_unused]] const Arguments& args)

// ---- blobs

CAFFE2_FUNCTION(feed_blob, 2) {
  if (!THPVariable_Check(args[1])) {
    torch::throw_python(PyExc_TypeError, "expected a tensor, but got %R", Py_TYPE(args[1]));
  }
  workspaces().current().CreateBlob(text(args[0]))->Reset(at::detach(THPVariable_Unpack(args[1])));
  Py_RETURN_NONE;
}

CAFFE2_FUNCTION(fetch_blob, 1) {
  const std::string name = text(args[0]);
  const Blob* blob = workspaces().current().GetBlob(name);
  TORCH_CHECK(blob->IsType<at::Tensor>(), "the blob \"", name, "\" holds no tensor yet");
  return THPVariable_Wrap(blob->Get<at::Tensor>());
}

CAFFE2_FUNCTION(blobs, 0) {
  return list_of(workspaces().current().Blobs(), from_text);
}

CAFFE2_FUNCTION(has_blob, 1) {
  return PyBool_FromLong(workspaces().current().HasBlob(text(args[0])));
}

CAFFE2_FUNCTION(create_blob, 1) {
  workspaces().current().CreateBlob(text(args[0]));
  Py_RETURN_NONE;
}

// ---- workspaces

CAFFE2_FUNCTION(reset_workspace, 0) {
  workspaces().reset();
  Py_RETURN_NONE;
}

CAFFE2_FUNCTION(switch_workspace, 2) {
  workspaces().switch_to(text(args[0]), PyObject_IsTrue(args[1]) == 1);
  Py_RETURN_NONE;
}

CAFFE2_FUNCTION(current_workspace, 0) {
  return from_text(workspaces().current_name());
}

CAFFE2_FUNCTION(workspace_names, 0) {
  workspaces().current();
  return list_of(workspaces().names(), from_text);
}

// ---- nets. They run without the GIL: no operator calls Python.

CAFFE2_FUNCTION(create_net, 2) {
  return from_text(
      CreateSerializedNet(workspaces().current(), bytes(args[0]), PyObject_IsTrue(args[1]) == 1));
}

CAFFE2_FUNCTION(run_net, 2) {
  const std::string name = text(args[0]);
  const long long iterations = PyLong_AsLongLong(args[1]);
  if (iterations == -1 && PyErr_Occurred()) torch::throw_python_error();
  Workspace& workspace = workspaces().current();
  {
    const torch::WithoutGil without;
    workspace.RunNet(name, iterations);
  }
  Py_RETURN_NONE;
}

CAFFE2_FUNCTION(run_net_once, 1) {
  const std::string net = bytes(args[0]);
  Workspace& workspace = workspaces().current();
  std::string name;
  {
    const torch::WithoutGil without;
    name = RunSerializedNet(workspace, net);
  }
  return from_text(name);
}

CAFFE2_FUNCTION(run_operator_once, 1) {
  const std::string op = bytes(args[0]);
  Workspace& workspace = workspaces().current();
  {
    const torch::WithoutGil without;
    RunSerializedOperator(workspace, op);
  }
  Py_RETURN_NONE;
}

CAFFE2_FUNCTION(nets, 0) {
  return list_of(workspaces().current().Nets(), from_text);
}

CAFFE2_FUNCTION(delete_net, 1) {
  return PyBool_FromLong(workspaces().current().DeleteNet(text(args[0])));
}

// ---- operators

CAFFE2_FUNCTION(registered_operators, 0) {
  return list_of(OperatorTypes(), from_text);
}

CAFFE2_FUNCTION(aten_implementations, 0) {
  return list_of(aten::implementation_keys(), from_text);
}

CAFFE2_FUNCTION(check_operator, 1) {
  CheckSerializedOperator(bytes(args[0]));
  Py_RETURN_NONE;
}

CAFFE2_FUNCTION(suggestion, 1) {
  return from_text(SimilarOperator(text(args[0])));
}

CAFFE2_FUNCTION(get_gradient_defs, 2) {
  const THPObjectPtr names(checked(PySequence_Fast(args[1], "expected a list of names")));
  std::vector<std::string> g_output;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(names.get()); ++i) {
    g_output.push_back(text(PySequence_Fast_GET_ITEM(names.get(), i)));
  }
  const auto [ops, g_input] = SerializedGradient(bytes(args[0]), g_output);
  const THPObjectPtr definitions(list_of(ops, from_bytes));
  const THPObjectPtr gradients(list_of(g_input, from_text));
  return PyTuple_Pack(2, definitions.get(), gradients.get());
}

#undef CAFFE2_FUNCTION
#define CAFFE2_ROW(name, documentation)                                                          \
  {                                                                                              \
#name, reinterpret_cast < PyCFunction>(reinterpret_cast <void (*)()>(&name)), METH_FASTCALL, \
        documentation                                                                            \
  }

PyMethodDef methods[] = {
    CAFFE2_ROW(feed_blob, "feed_blob(name, tensor): set a blob of the current workspace."),
    CAFFE2_ROW(fetch_blob, "fetch_blob(name): return the tensor of a blob."),
    CAFFE2_ROW(blobs, "blobs(): return the names of all blobs, sorted."),
    CAFFE2_ROW(has_blob, "has_blob(name): return whether there is such a blob."),
    CAFFE2_ROW(create_blob, "create_blob(name): add an empty blob, unless there is one."),
    CAFFE2_ROW(reset_workspace, "reset_workspace(): drop all blobs and nets."),
    CAFFE2_ROW(switch_workspace, "switch_workspace(name, create): make a workspace current."),
    CAFFE2_ROW(current_workspace, "current_workspace(): return the name of the workspace."),
    CAFFE2_ROW(workspace_names, "workspace_names(): return the names of all workspaces."),
    CAFFE2_ROW(create_net, "create_net(definition, overwrite): add a net; return its name."),
    CAFFE2_ROW(run_net, "run_net(name, iterations): run a net of the workspace."),
    CAFFE2_ROW(run_net_once, "run_net_once(definition): create a net, run it and drop it."),
    CAFFE2_ROW(run_operator_once, "run_operator_once(definition): run one operator."),
    CAFFE2_ROW(nets, "nets(): return the names of all nets."),
    CAFFE2_ROW(delete_net, "delete_net(name): drop a net; return whether there was one."),
    CAFFE2_ROW(registered_operators, "registered_operators(): return the types of operators."),
    CAFFE2_ROW(aten_implementations, "aten_implementations(): return the keys of ATenOp."),
    CAFFE2_ROW(check_operator, "check_operator(definition): check its type and its arity."),
    CAFFE2_ROW(suggestion, "suggestion(type): return a text that suggests a similar type."),
    CAFFE2_ROW(
        get_gradient_defs,
        "get_gradient_defs(definition, g_output): return the gradient's operators and the names "
        "of the inputs' gradients."),
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "caffe2_pybind11_state",
    "Workspaces and nets of Caffe2, for caffe2.python.",
    -1,
    methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

} // namespace

bool add_methods(PyObject* module) {
  return PyModule_AddFunctions(module, methods) == 0;
}

} // namespace caffe2::python

extern "C" C10_EXPORT PyObject* initCaffe2Module() {
  THPObjectPtr module(PyModule_Create(&caffe2::python::definition));
  const bool complete =
      module && PyModule_AddObjectRef(module.get(), "has_gpu_support", Py_False) == 0;
  return complete ? module.release() : nullptr;
}
