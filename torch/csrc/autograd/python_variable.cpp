#include <torch/csrc/autograd/python_variable.h>

#include <ATen/ops/detach.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_hook.h>
#include <torch/csrc/autograd/python_method_tables.h>
#include <torch/csrc/autograd/python_variable_metatype.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_torch_dispatch.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/torch_function.h>

#include <structmember.h>

#include <array>
#include <cstddef>
#include <vector>

PyTypeObject THPVariableType = torch::static_type("torch._C.TensorBase", sizeof(THPVariable));
PyTypeObject* THPVariableClass = nullptr;
PyTypeObject* THPVariablePlainClass = nullptr;

namespace {

// Objects of exactly torch.Tensor are recycled, because creating one takes most of the time of a
// small call. Disabled under a sanitizer, which could not detect the use of a recycled object.
constexpr int kFreeListLimit = C10_SANITIZER_ENABLED ? 0 : 512;
std::array<THPVariable*, kFreeListLimit> free_list;
int free_count = 0;

THPVariable* cast(PyObject* object) {
  return reinterpret_cast<THPVariable*>(object);
}

PyObject* allocate(PyTypeObject* type) {
  if (type != THPVariableClass) {
    PyObject* object = type->tp_alloc(type, 0);
    return object;
  }
  if (free_count) {
    PyObject* object = reinterpret_cast<PyObject*>(free_list[--free_count]);
    return PyObject_Init(object, type);
  }
  // Not tracked by the garbage collector: a tensor without attributes, hooks or a custom function
  // cannot be part of a cycle.
  return reinterpret_cast<PyObject*>(PyObject_GC_New(THPVariable, type));
}

void track_if_it_has_state(PyObject* object) {
  if (cast(object)->dict) THPVariable_Track(object);
}

c10::impl::PyObjectSlot* slot_of(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->pyobj_slot();
}

// The last Python reference is gone, C++ still holds the tensor, and the object is more than a mere
// wrapper: the impl now owns it, and the object is reused when the tensor is wrapped again.
bool preserve(PyObject* object) {
  THPVariable* self = cast(object);
  if (self->borrowed || !self->cdata.defined() || self->cdata.use_count() <= 1) return false;
  if (Py_TYPE(object) == THPVariableClass && !self->dict && !self->weakrefs &&
      !self->backward_hooks) {
    return false;
  }
  slot_of(self->cdata)->set_pyobj(object, /*owns=*/true);
  self->borrowed = true;
  Py_SET_REFCNT(object, 1);
  // cdata still points at the impl; only its reference is dropped.
  auto counted = at::TensorImplPtr::reclaim(self->cdata.unsafeGetTensorImpl());
  return true;
}

// Frees an object that nothing needs.
void release(PyObject* object) {
  THPVariable* self = cast(object);
  PyTypeObject* type = Py_TYPE(object);
  if (PyObject_GC_IsTracked(object)) PyObject_GC_UnTrack(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->backward_hooks);
  if (self->cdata.defined() && slot_of(self->cdata)->pyobj() == object)
    slot_of(self->cdata)->clear();
  if (self->borrowed) self->cdata.unsafeReleaseTensorImpl();
  self->cdata.~Tensor();
  if (type == THPVariableClass && free_count < kFreeListLimit) {
    free_list[free_count++] = self;
  } else {
    type->tp_free(object);
  }
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) Py_DECREF(type);
}

// Releases what the `__slots__` of the subclasses hold.
void clear_slots(PyObject* object) {
  for (PyTypeObject* type = Py_TYPE(object); type != THPVariableClass; type = type->tp_base) {
    if (Py_SIZE(type) == 0) continue;
    for (PyMemberDef* slot = type->tp_members; slot->name; ++slot) {
      if (slot->type != T_OBJECT_EX || (slot->flags & READONLY)) continue;
      Py_CLEAR(*reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + slot->offset));
    }
  }
}

void release_subclass(PyObject* object) {
  if (Py_TYPE(object)->tp_finalize && PyObject_CallFinalizerFromDealloc(object) < 0) return;
  PyObject_GC_UnTrack(object);
  Py_TRASHCAN_BEGIN(object, THPVariable_Dealloc);
  clear_slots(object);
  release(object);
  Py_TRASHCAN_END;
}

// Visits the objects that only the tensor keeps alive through C++. Objects that others hold as well
// are reached, or kept alive, from there.
int traverse_graph(const at::Tensor& tensor, visitproc visit, void* arg) {
  using namespace torch::autograd;
  if (tensor.use_count() != 1) return 0;
  for (const auto& hook : impl::hooks(tensor)) {
    if (auto* known = dynamic_cast<PyFunctionTensorPreHook*>(hook.get()))
      Py_VISIT(known->dict.get());
  }
  if (auto* hooks = dynamic_cast<PyFunctionTensorPostAccGradHooks*>(
          impl::post_acc_grad_hooks(tensor).get())) {
    Py_VISIT(hooks->dict.get());
  }
  const AutogradMeta* meta = impl::get_autograd_meta(tensor);
  if (!meta || !meta->grad_fn_ || meta->grad_fn_.use_count() != 1) return 0;
  // A node that owns its object, as for a custom function.
  const c10::impl::PyObjectSlot* slot = meta->grad_fn_->pyobj_slot();
  if (slot->owns_pyobj()) Py_VISIT(slot->pyobj());
  return traverse_node(meta->grad_fn_, visit, arg);
}

// Whether the object outlives its Python references, as C++ holds the tensor too.
bool is_held_by_cpp(THPVariable* self) {
  return !self->borrowed && self->cdata.defined() && self->cdata.use_count() > 1;
}

// What a tensor that C++ holds refers to is not visited, so the collector takes it to be in use.
int traverse(PyObject* object, visitproc visit, void* arg) {
  THPVariable* self = cast(object);
  if (is_held_by_cpp(self)) return 0;
  Py_VISIT(self->dict);
  Py_VISIT(self->backward_hooks);
  return self->borrowed || !self->cdata.defined() ? 0 : traverse_graph(self->cdata, visit, arg);
}

int clear(PyObject* object) {
  if (is_held_by_cpp(cast(object))) return 0;
  Py_CLEAR(cast(object)->dict);
  Py_CLEAR(cast(object)->backward_hooks);
  return 0;
}

int setattr(PyObject* object, PyObject* name, PyObject* value) {
  const int status = PyObject_GenericSetAttr(object, name, value);
  track_if_it_has_state(object);
  return status;
}

PyObject* get_dict(PyObject* object, void* context) {
  PyObject* dict = PyObject_GenericGetDict(object, context);
  track_if_it_has_state(object);
  return dict;
}

PyObject* new_tensor(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  if (type == &THPVariableType) {
    torch::throw_python(
        PyExc_RuntimeError,
        "Cannot directly construct TensorBase; subclass it and then construct that");
  }
  at::Tensor tensor = torch::legacy_tensor_constructor(args, kwargs);
  if (slot_of(tensor)->pyobj()) tensor = at::detach(tensor);
  return THPVariable_NewWithVar(type, std::move(tensor));
  END_HANDLE_TH_ERRORS
}

PyObject* set_tensor_class(PyObject*, PyObject* type) {
  if (!PyType_Check(type) ||
      !PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), &THPVariableType)) {
    PyErr_SetString(PyExc_TypeError, "expected a subclass of TensorBase");
    return nullptr;
  }
  Py_XSETREF(THPVariableClass, reinterpret_cast<PyTypeObject*>(Py_NewRef(type)));
  THPVariablePlainClass = THPVariableClass;
  // The class statement set a generic dealloc; this one knows the layout and recycles objects.
  THPVariableClass->tp_dealloc = THPVariable_Dealloc;
  Py_RETURN_NONE;
}

PyMethodDef module_methods[] = {
    {"_set_tensor_class", set_tensor_class, METH_O, nullptr},
    {"_wrapper_like",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(torch::autograd::wrapper_like)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

// A weak reference may have returned an object that the dying impl owned. The object continues with
// a new impl over the same storage.
void outlive_impl(PyObject* object) {
  THPVariable* self = cast(object);
  c10::TensorImpl* dying = self->cdata.unsafeReleaseTensorImpl();
  auto copy = dying->shallow_copy_and_detach(dying->version_counter(), true);
  copy->pyobj_slot()->set_pyobj(object);
  self->cdata = at::Tensor(at::TensorImplPtr::reclaim(copy.release()));
  self->borrowed = false;
}

void decref_with_gil(PyObject* object) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  if (torch::autograd::THPFunction_Check(object)) {
    torch::autograd::THPFunction_forget_node(object);
  } else if (Py_REFCNT(object) > 1 && THPVariable_Check(object)) {
    outlive_impl(object);
  }
  Py_DECREF(object);
  PyGILState_Release(state);
}

// tp_methods of TensorBase: the generated tables and the handwritten ones, in one array.
PyMethodDef* all_methods() {
  static std::vector<PyMethodDef> methods;
  const auto add = [](PyMethodDef* table) {
    for (; table->ml_name; ++table)
      methods.push_back(*table);
  };
  add(torch::autograd::manual_variable_methods);
  add(torch::autograd::conversion_methods);
  add(torch::autograd::placement_methods);
  add(torch::autograd::variable_autograd_methods);
  for (PyMethodDef* const* table = torch::autograd::variable_method_tables; *table; ++table)
    add(*table);
  methods.push_back({nullptr, nullptr, 0, nullptr});
  return methods.data();
}

// The getter of an attribute, unless a mode or the object's type answers instead.
PyObject* get_or_override(PyObject* self, void* context) {
  const auto* property = static_cast<const PyGetSetDef*>(context);
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    HANDLE_TH_ERRORS
    if (PyObject* result = torch::property_override(self, property->name)) return result;
    END_HANDLE_TH_ERRORS
  }
  return property->get(self, property->closure);
}

// The setter, in the same way. A null value deletes the attribute.
int set_or_override(PyObject* self, PyObject* value, void* context) {
  const auto* property = static_cast<const PyGetSetDef*>(context);
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    HANDLE_TH_ERRORS
    if (torch::setter_override(self, property->name, value)) return 0;
    END_HANDLE_TH_ERRORS_RET(-1)
  }
  return property->set(self, value, property->closure);
}

// Assigning to them copies numbers, and the copy is what handlers see.
bool sets_by_copying(const PyGetSetDef& property) {
  const std::string_view name = property.name;
  return name == "real" || name == "imag";
}

PyGetSetDef* all_properties() {
  static std::vector<PyGetSetDef> properties;
  const auto add = [](PyGetSetDef* table) {
    for (; table->name; ++table) {
      properties.push_back(*table);
      properties.back().get = get_or_override;
      if (table->set && !sets_by_copying(*table)) properties.back().set = set_or_override;
      properties.back().closure = table; // none of the setters that copy uses a closure
    }
  };
  add(torch::autograd::variable_properties);
  add(torch::autograd::variable_autograd_properties);
  properties.push_back({"__dict__", get_dict, PyObject_GenericSetDict, nullptr, nullptr});
  properties.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  return properties.data();
}

} // namespace

void THPVariable_Dealloc(PyObject* object) {
  if (preserve(object)) return;
  if (Py_TYPE(object) == THPVariableClass) {
    release(object);
  } else {
    release_subclass(object);
  }
}

void THPVariable_Track(PyObject* object) {
  if (!PyObject_GC_IsTracked(object)) PyObject_GC_Track(object);
}

PyTypeObject* require_tensor_class(PyObject* object) {
  if (!PyType_Check(object)) {
    torch::throw_python(PyExc_TypeError, "cls must be a type (got %s)", Py_TYPE(object)->tp_name);
  }
  auto* type = reinterpret_cast<PyTypeObject*>(object);
  if (!PyType_IsSubtype(type, &THPVariableType)) {
    torch::throw_python(
        PyExc_TypeError,
        "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
        "possible. Make sure your class inherits from Tensor.");
  }
  return type;
}

PyObject* THPVariable_NewWithVar(PyTypeObject* type, at::Tensor&& tensor) {
  PyObject* object = allocate(type);
  if (!object) return nullptr;
  THPVariable* self = cast(object);
  if (type != THPVariableClass && torch::has_torch_dispatch(type)) {
    torch::set_python_dispatch(tensor);
  }
  slot_of(tensor)->set_pyobj(object);
  new (&self->cdata) at::Tensor(std::move(tensor));
  self->dict = nullptr;
  self->weakrefs = nullptr;
  self->backward_hooks = nullptr;
  self->borrowed = false;
  return object;
}

const at::Tensor& tensor_argument(PyObject* object) {
  if (!THPVariable_Check(object)) {
    torch::throw_python(PyExc_TypeError, "expected a Tensor, not %s", Py_TYPE(object)->tp_name);
  }
  return THPVariable_Unpack(object);
}

PyObject* THPVariable_WrapSlow(at::Tensor&& tensor) {
  if (!tensor.defined()) Py_RETURN_NONE;
  c10::impl::PyObjectSlot* slot = slot_of(tensor);
  PyObject* known = slot->pyobj();
  if (!known) return THPVariable_NewWithVar(THPVariableClass, std::move(tensor));
  if (!slot->owns_pyobj()) return Py_NewRef(known);
  // The impl owned the object; its reference becomes the caller's, and Python owns the impl again.
  THPVariable* self = cast(known);
  slot->set_owns_pyobj(false);
  self->borrowed = false;
  self->cdata.unsafeReleaseTensorImpl();
  self->cdata = std::move(tensor);
  return known;
}

namespace torch::autograd {

PyObject* wrap(at::ArrayRef<at::Tensor> tensors) {
  PyObject* tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i)
    PyTuple_SET_ITEM(tuple, i, THPVariable_Wrap(tensors[i]));
  return tuple;
}

} // namespace torch::autograd

bool THPVariable_initModule(PyObject* module) {
  using namespace torch::autograd;
  c10::impl::pyobj_decref = decref_with_gil;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
  THPVariableType.tp_dictoffset = offsetof(THPVariable, dict);
  THPVariableType.tp_weaklistoffset = offsetof(THPVariable, weakrefs);
#pragma GCC diagnostic pop
  THPVariableType.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC;
  THPVariableType.tp_doc = "The base class of torch.Tensor, with what C++ defines of it.";
  THPVariableType.tp_new = new_tensor;
  THPVariableType.tp_dealloc = THPVariable_Dealloc;
  THPVariableType.tp_traverse = traverse;
  THPVariableType.tp_clear = clear;
  THPVariableType.tp_setattro = setattr;
  THPVariableType.tp_hash = [](PyObject* self) {
    return static_cast<Py_hash_t>(reinterpret_cast<intptr_t>(self));
  };
  THPVariableType.tp_richcompare = variable_richcompare;
  THPVariableType.tp_iter = variable_iter;
  THPVariableType.tp_as_number = &variable_as_number;
  THPVariableType.tp_as_sequence = &variable_as_sequence;
  THPVariableType.tp_as_mapping = &variable_as_mapping;
  THPVariableType.tp_methods = all_methods();
  THPVariableType.tp_getset = all_properties();
  if (!init_variable_metatype(module) || PyType_Ready(&THPVariableType) < 0) return false;
  PyObject* type = reinterpret_cast<PyObject*>(&THPVariableType);
  return PyModule_AddObjectRef(module, "TensorBase", type) == 0 &&
      PyModule_AddObjectRef(module, "_TensorBase", type) == 0 &&
      PyModule_AddFunctions(module, module_methods) == 0;
}
