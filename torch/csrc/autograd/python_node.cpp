// Members that all node classes have in Python: edges, metadata, hooks.
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/autograd/python_anomaly_mode.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_hook.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch::autograd {
namespace {

PyTypeObject* input_metadata_type() {
  static PyStructSequence_Field fields[] = {
      {"dtype", nullptr}, {"device", nullptr}, {"shape", nullptr}, {nullptr, nullptr}};
  static PyStructSequence_Desc description = {
      "torch._C._autograd._InputMetadata", nullptr, fields, 3};
  static PyTypeObject* type = PyStructSequence_NewType(&description);
  if (!type) throw_python_error();
  return type;
}

PyObject* wrap_metadata(const InputMetadata& metadata) {
  if (metadata.was_default_constructed()) Py_RETURN_NONE;
  PyObject* object = checked(PyStructSequence_New(input_metadata_type()));
  PyStructSequence_SET_ITEM(object, 0, Py_NewRef(THPDtype_Get(metadata.dtype())));
  PyStructSequence_SET_ITEM(object, 1, THPDevice_New(metadata.device()));
  PyStructSequence_SET_ITEM(object, 2, THPSize_New(metadata.shape()));
  return object;
}

// Adds the hook to the dictionary of the hook of type `Hook` among `hooks`, creating one if
// necessary; returns the handle that removes it.
template <typename Hook, typename Base, typename Add>
PyObject* add_to_dict(std::vector<std::unique_ptr<Base>>& hooks, PyObject* function, Add add) {
  THPObjectPtr dict;
  for (const auto& hook : hooks) {
    if (auto* known = dynamic_cast<Hook*>(hook.get())) dict = Py_NewRef(known->dict.get());
  }
  if (!dict) {
    const THPObjectPtr collections(checked(PyImport_ImportModule("collections")));
    dict = checked(PyObject_CallMethod(collections.get(), "OrderedDict", nullptr));
    add(std::make_unique<Hook>(dict.get()));
  }
  const THPObjectPtr module(checked(PyImport_ImportModule("torch.utils.hooks")));
  THPObjectPtr handle(
      checked(PyObject_CallMethod(module.get(), "RemovableHandle", "O", dict.get())));
  const THPObjectPtr id(checked(PyObject_GetAttrString(handle.get(), "id")));
  checked(PyObject_SetItem(dict.get(), id.get(), function));
  return handle.release();
}

template <typename Hook, typename Base>
int traverse_hooks(const std::vector<std::unique_ptr<Base>>& hooks, visitproc visit, void* arg) {
  for (const auto& hook : hooks) {
    if (auto* known = dynamic_cast<Hook*>(hook.get())) Py_VISIT(known->dict.get());
  }
  return 0;
}

} // namespace

int traverse_node(const c10::intrusive_ptr<Node>& node, visitproc visit, void* arg) {
  const NodeExtras* extras = node->extras_or_null();
  if (!extras) return 0;
  if (const int stop = traverse_hooks<PyFunctionPreHook>(extras->pre_hooks, visit, arg))
    return stop;
  if (const int stop =
          traverse_hooks<PyFunctionTensorPreHook>(extras->tensor_pre_hooks, visit, arg))
    return stop;
  return traverse_hooks<PyFunctionPostHook>(extras->post_hooks, visit, arg);
}

namespace {

c10::intrusive_ptr<Node> unpack(PyObject* self) {
  auto node = node_of(self);
  TORCH_CHECK(node, "the graph of this function's call no longer exists");
  return node;
}

// The pairs of nodes and positions, and as many empty pairs as `missing`.
PyObject* edges_as_pairs(PyObject* self, size_t missing) {
  const auto node = unpack(self);
  const size_t count = node->num_outputs();
  THPObjectPtr tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(count + missing))));
  for (size_t i = 0; i < count + missing; ++i) {
    const Edge edge = i < count ? node->next_edge(i) : Edge();
    THPObjectPtr function(functionToPyObject(edge.function));
    PyObject* pair = checked(PyTuple_New(2));
    PyTuple_SET_ITEM(tuple.get(), i, pair);
    PyTuple_SET_ITEM(pair, 0, function.release());
    PyTuple_SET_ITEM(pair, 1, checked(PyLong_FromUnsignedLong(edge.input_nr)));
  }
  return tuple.release();
}

PyObject* next_functions(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return edges_as_pairs(self, 0);
  END_HANDLE_TH_ERRORS
}

PyObject* metadata(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return Py_NewRef(static_cast<PyAnomalyMetadata*>(unpack(self)->metadata())->dict());
  END_HANDLE_TH_ERRORS
}

PyObject* input_metadata(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const auto node = unpack(self);
  THPObjectPtr tuple(checked(PyTuple_New(node->num_inputs())));
  for (size_t i = 0; i < node->num_inputs(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, wrap_metadata(node->input_metadata(i)));
  return tuple.release();
  END_HANDLE_TH_ERRORS
}

PyObject* requires_grad(PyObject*, void*) {
  Py_RETURN_TRUE;
}

PyObject* name(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(unpack(self)->name().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* sequence_nr(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromUnsignedLongLong(unpack(self)->sequence_nr());
  END_HANDLE_TH_ERRORS
}

PyObject* set_sequence_nr(PyObject* self, PyObject* number) {
  HANDLE_TH_ERRORS
  unpack(self)->set_sequence_nr(static_cast<uint64_t>(unpack_long(number)));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// Makes the hooks of a tensor see its gradient here; the tensor's dictionary does not move.
PyObject* register_hook_dict(PyObject* self, PyObject* tensor) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(tensor)) {
    throw_python(PyExc_TypeError, "_register_hook_dict expected a Tensor");
  }
  if (PyObject* dict = reinterpret_cast<THPVariable*>(tensor)->backward_hooks) {
    unpack(self)->add_tensor_pre_hook(
        std::make_unique<PyFunctionTensorPreHook>(dict, THPVariable_Unpack(tensor).output_nr()));
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* register_hook(PyObject* self, PyObject* hook) {
  HANDLE_TH_ERRORS
  const auto node = unpack(self);
  return add_to_dict<PyFunctionPostHook>(
      node->post_hooks(), hook, [&](auto added) { node->add_post_hook(std::move(added)); });
  END_HANDLE_TH_ERRORS
}

PyObject* register_prehook(PyObject* self, PyObject* hook) {
  HANDLE_TH_ERRORS
  const auto node = unpack(self);
  return add_to_dict<PyFunctionPreHook>(
      node->pre_hooks(), hook, [&](auto added) { node->add_pre_hook(std::move(added)); });
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"_register_hook_dict", register_hook_dict, METH_O, nullptr},
    {"register_hook", register_hook, METH_O, nullptr},
    {"register_prehook", register_prehook, METH_O, nullptr},
    {"name", name, METH_NOARGS, nullptr},
    {"_sequence_nr", sequence_nr, METH_NOARGS, nullptr},
    {"_set_sequence_nr", set_sequence_nr, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"next_functions", next_functions, nullptr, nullptr, nullptr},
    {"requires_grad", requires_grad, nullptr, nullptr, nullptr},
    {"metadata", metadata, nullptr, nullptr, nullptr},
    {"_input_metadata", input_metadata, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

} // namespace

PyObject* next_functions_and_number(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return edges_as_pairs(self, 1);
  END_HANDLE_TH_ERRORS
}

PyTypeObject THPNodeType = static_type("torch._C._functions.Node", sizeof(PyObject));

bool THPNode_init() {
  THPNodeType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  THPNodeType.tp_methods = methods;
  THPNodeType.tp_getset = properties;
  return PyType_Ready(&THPNodeType) == 0;
}

} // namespace torch::autograd
