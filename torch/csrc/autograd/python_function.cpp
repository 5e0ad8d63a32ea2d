#include <torch/csrc/autograd/python_function.h>

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_saved_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>

namespace torch::autograd {

// ---- the node
std::string PyNode::name() const {
  const THPFunction* ctx = context();
  return ctx ? Py_TYPE(ctx)->tp_name : "PyNode";
}

void PyNode::release_variables() {
  if (!Py_IsInitialized()) return;
  const HoldGil gil;
  if (THPFunction* ctx = context()) {
    // They must not move, because SavedTensor objects refer to them.
    for (SavedVariable& saved : ctx->saved_variables)
      saved.reset_data();
    ctx->has_freed_buffers = true;
  }
}

namespace {

THPFunction* cast(PyObject* object) {
  return reinterpret_cast<THPFunction*>(object);
}

// Converts the gradients to the arguments of backward(): undefined ones become zeros or None.
THPObjectPtr wrap_gradients(const Node& node, const THPFunction& ctx, variable_list&& grads) {
  THPObjectPtr tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(grads.size()))));
  for (size_t i = 0; i < grads.size(); ++i) {
    const InputMetadata& metadata = node.input_metadata(i);
    const bool fill =
        !grads[i].defined() && ctx.materialize_grads && !metadata.was_default_constructed();
    PyTuple_SET_ITEM(tuple.get(), i, wrap(fill ? metadata.zeros_like() : std::move(grads[i])));
  }
  return tuple;
}

// Converts the results of backward(), one per argument of forward(), to the gradients of the
// arguments that are tensors.
variable_list unwrap_gradients(const PyNode& node, const THPFunction& ctx, PyObject* results) {
  const size_t expected = ctx.is_variable_input.size();
  size_t count = static_cast<size_t>(PyTuple_GET_SIZE(results));
  // Extra results are tolerated if they are None.
  while (count > expected && PyTuple_GET_ITEM(results, count - 1) == Py_None)
    --count;
  TORCH_CHECK(
      count == expected, "function ", node.name(),
      " returned an incorrect number of gradients (expected ", expected, ", got ",
      PyTuple_GET_SIZE(results), ")");
  variable_list grads;
  grads.reserve(node.num_outputs());
  for (size_t i = 0; i < expected; ++i) {
    PyObject* result = PyTuple_GET_ITEM(results, i);
    if (!ctx.is_variable_input[i]) {
      TORCH_CHECK(
          result == Py_None, "function ", node.name(),
          " returned a gradient different than None at position ", i + 1,
          ", but the corresponding forward input was not a Variable");
    } else if (result == Py_None) {
      grads.emplace_back();
    } else {
      TORCH_CHECK(
          THPVariable_Check(result), "expected Variable or None (got ", Py_TYPE(result)->tp_name,
          ")");
      grads.push_back(THPVariable_Unpack(result));
    }
  }
  return grads;
}

} // namespace

variable_list PyNode::apply(variable_list&& inputs) {
  return with_gil([&] {
    const THPObjectPtr ctx(Py_XNewRef(reinterpret_cast<PyObject*>(context())));
    TORCH_INTERNAL_ASSERT(ctx, "the context of a custom function was destroyed");
    const THPObjectPtr args = wrap_gradients(*this, *cast(ctx.get()), std::move(inputs));
    static PyObject* const method_name = PyUnicode_InternFromString("apply");
    const THPObjectPtr method(checked(PyObject_GetAttr(ctx.get(), method_name)));
    THPObjectPtr results(checked(PyObject_CallObject(method.get(), args.get())));
    if (!PyTuple_Check(results.get())) results = checked(PyTuple_Pack(1, results.get()));
    return unwrap_gradients(*this, *cast(ctx.get()), results.get());
  });
}

namespace {

// ---- lifetime
PyObject* new_function(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  HANDLE_TH_ERRORS
  THPFunction* self = cast(object);
  // tp_alloc filled the rest with zeros.
  self->materialize_grads = true;
  new (&self->saved_variables) std::vector<SavedVariable>();
  new (&self->is_variable_input) std::vector<bool>();
  new (&self->cdata) c10::intrusive_ptr<PyNode>(c10::make_intrusive<PyNode>());
  self->cdata->pyobj_slot()->set_pyobj(object);
  return object;
  END_HANDLE_TH_ERRORS
}

// The last Python reference is gone, but the graph still needs the ctx, so its node owns it from
// now on.
bool preserve(THPFunction* self) {
  if (self->borrowed || !self->cdata || self->cdata.use_count() <= 1) return false;
  PyObject* object = reinterpret_cast<PyObject*>(self);
  self->cdata->pyobj_slot()->set_owns_pyobj(true);
  self->borrowed = true;
  Py_SET_REFCNT(object, 1);
  // The dealloc of the Python class, which called this one, drops its reference to the type next.
  Py_INCREF(Py_TYPE(object));
  // cdata still points at the node; only its reference is dropped.
  auto counted = c10::intrusive_ptr<PyNode>::reclaim(self->cdata.get());
  return true;
}

int clear(PyObject* object) {
  THPFunction* self = cast(object);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->needs_input_grad);
  Py_CLEAR(self->to_save);
  Py_CLEAR(self->saved_for_forward);
  Py_CLEAR(self->non_differentiable);
  Py_CLEAR(self->dirty_tensors);
  self->saved_variables.clear();
  return 0;
}

void dealloc(PyObject* object) {
  THPFunction* self = cast(object);
  if (preserve(self)) return;
  PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  clear(object);
  if (self->cdata) self->cdata->pyobj_slot()->clear();
  if (self->borrowed) self->cdata.release();
  self->cdata.~intrusive_ptr();
  self->saved_variables.~vector();
  self->is_variable_input.~vector();
  Py_TYPE(object)->tp_free(object);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  THPFunction* self = cast(object);
  Py_VISIT(self->dict);
  Py_VISIT(self->needs_input_grad);
  Py_VISIT(self->to_save);
  Py_VISIT(self->saved_for_forward);
  Py_VISIT(self->non_differentiable);
  Py_VISIT(self->dirty_tensors);
  if (self->cdata && !self->borrowed && self->cdata.use_count() == 1)
    return traverse_node(self->cdata, visit, arg);
  return 0;
}

// ---- attributes of a ctx
PyObject* saved_tensors(PyObject* object, void*) {
  HANDLE_TH_ERRORS
  THPFunction* self = cast(object);
  TORCH_CHECK(!self->has_freed_buffers, ERR_BACKWARD_TWICE);
  // Keeps their place in the graph, which they would lose without grad mode.
  const c10::AutoGradMode with_history(true);
  const auto& saved = self->saved_variables;
  THPObjectPtr tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(saved.size()))));
  for (size_t i = 0; i < saved.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, wrap(saved[i].unpack(self->cdata.get())));
  return tuple.release();
  END_HANDLE_TH_ERRORS
}

PyObject* raw_saved_tensors(PyObject* object, void*) {
  HANDLE_TH_ERRORS
  THPFunction* self = cast(object);
  TORCH_CHECK(!self->has_freed_buffers, ERR_BACKWARD_TWICE);
  auto& saved = self->saved_variables;
  THPObjectPtr tuple(checked(PyTuple_New(static_cast<Py_ssize_t>(saved.size()))));
  for (size_t i = 0; i < saved.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), i, THPSavedVariable_Wrap(saved[i], object));
  return tuple.release();
  END_HANDLE_TH_ERRORS
}

int set_materialize_grads(PyObject* object, PyObject* value, void*) {
  if (!value || !PyBool_Check(value)) {
    PyErr_Format(
        PyExc_TypeError, "THPFunction_set_materialize_grads: value must be a bool but got %s",
        value ? Py_TYPE(value)->tp_name : "nothing");
    return -1;
  }
  cast(object)->materialize_grads = value == Py_True;
  return 0;
}

template <PyObject* THPFunction::*field>
PyObject* get(PyObject* object, void*) {
  PyObject* value = cast(object)->*field;
  return Py_NewRef(value ? value : Py_None);
}

template <PyObject* THPFunction::*field>
int set(PyObject* object, PyObject* value, void*) {
  Py_XSETREF(cast(object)->*field, value == Py_None ? nullptr : Py_XNewRef(value));
  return 0;
}

template <PyObject* THPFunction::*field>
PyGetSetDef tuple(const char* name) {
  return {name, get<field>, set<field>, nullptr, nullptr};
}

PyGetSetDef properties[] = {
    {"saved_tensors", saved_tensors, nullptr, nullptr, nullptr},
    {"saved_variables", saved_tensors, nullptr, nullptr, nullptr},
    {"_raw_saved_tensors", raw_saved_tensors, nullptr, nullptr, nullptr},
    tuple<&THPFunction::needs_input_grad>("needs_input_grad"),
    tuple<&THPFunction::to_save>("to_save"),
    tuple<&THPFunction::saved_for_forward>("saved_for_forward"),
    tuple<&THPFunction::non_differentiable>("non_differentiable"),
    tuple<&THPFunction::dirty_tensors>("dirty_tensors"),
    {"materialize_grads", nullptr, set_materialize_grads, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"apply", method(THPFunction_apply), METH_CLASS | METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_apply_untransformed", method(THPFunction_apply_untransformed),
     METH_CLASS | METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_set_transformed_apply", THPFunction_set_transformed_apply, METH_STATIC | METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyTypeObject type = static_type("torch._C._FunctionBase", sizeof(THPFunction));

} // namespace

bool THPFunction_Check(PyObject* object) {
  return PyObject_TypeCheck(object, &type);
}

c10::intrusive_ptr<Node> THPFunction_node(PyObject* object) {
  return c10::intrusive_ptr<Node>::reclaim_copy(cast(object)->cdata.get());
}

PyObject* THPFunction_take_back(Node& node) {
  c10::impl::PyObjectSlot* slot = node.pyobj_slot();
  PyObject* object = slot->pyobj();
  slot->set_owns_pyobj(false);
  // The node's reference to the object becomes the caller's.
  THPFunction* self = cast(object);
  self->borrowed = false;
  PyNode* borrowed = self->cdata.release();
  self->cdata = c10::intrusive_ptr<PyNode>::reclaim_copy(borrowed);
  return object;
}

void THPFunction_forget_node(PyObject* object) {
  cast(object)->cdata.release();
  cast(object)->borrowed = false;
}

bool THPFunction_initModule(PyObject* module) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  type.tp_dictoffset = offsetof(THPFunction, dict);
  type.tp_weaklistoffset = offsetof(THPFunction, weakrefs);
#pragma GCC diagnostic pop
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  type.tp_base = &THPNodeType;
  type.tp_new = new_function;
  type.tp_dealloc = dealloc;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_methods = methods;
  type.tp_getset = properties;
  return PyType_Ready(&type) == 0 &&
      PyModule_AddObjectRef(module, "_FunctionBase", reinterpret_cast<PyObject*>(&type)) == 0;
}

} // namespace torch::autograd
