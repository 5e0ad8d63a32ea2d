#include <torch/csrc/autograd/python_cpp_function.h>

#include <torch/csrc/autograd/python_function.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>

#include <map>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace torch::autograd {
namespace {

THPCppFunction* cast(PyObject* object) {
  return reinterpret_cast<THPCppFunction*>(object);
}

Node& node(PyObject* self) {
  return *cast(self)->cdata;
}

// ---- lifetime
void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  cast(self)->cdata->pyobj_slot()->clear();
  cast(self)->cdata.~intrusive_ptr();
  PyObject_GC_Del(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  return cast(self)->cdata.use_count() == 1 ? traverse_node(cast(self)->cdata, visit, arg) : 0;
}

int clear(PyObject* self) {
  Node& cleared = node(self);
  if (NodeExtras* extras = cleared.extras_or_null()) {
    extras->pre_hooks.clear();
    extras->post_hooks.clear();
  }
  return 0;
}

PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  if (kwargs && PyDict_GET_SIZE(kwargs)) {
    throw_python(PyExc_TypeError, "keyword arguments are not supported");
  }
  variable_list inputs;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* arg = PyTuple_GET_ITEM(args, i);
    if (arg == Py_None) {
      inputs.emplace_back();
    } else if (THPVariable_Check(arg)) {
      inputs.push_back(THPVariable_Unpack(arg));
    } else {
      throw_python(PyExc_TypeError, "expected Variable or None (got %s)", Py_TYPE(arg)->tp_name);
    }
  }
  const size_t expected = node(self).num_inputs();
  TORCH_CHECK_TYPE(
      inputs.size() == expected, "expected ", expected, " arguments, got ", inputs.size(),
      " instead");
  const variable_list outputs = node(self)(std::move(inputs));
  if (outputs.size() == 1) return wrap(outputs[0]);
  return wrap(at::ArrayRef<at::Tensor>(outputs));
  END_HANDLE_TH_ERRORS
}

// ---- classes
// The common base class, and the class of nodes of kinds without their own.
PyTypeObject base_type = static_type("CppFunction", sizeof(THPCppFunction));

std::vector<NodeClass*>& class_tables() {
  static std::vector<NodeClass*> all;
  return all;
}

struct Classes {
  std::unordered_map<std::string_view, NodeClass*> by_kind;
  // Kinds may share a name, such as those of an operator with a tensor and with a number; the first
  // one gets it in the module.
  std::map<std::string_view, NodeClass*> by_name;
};

// Sorted when first asked, since `import torch` needs none of them.
const Classes& classes() {
  static const Classes all = [] {
    Classes found;
    for (NodeClass* table : class_tables()) {
      for (NodeClass* row = table; row->kind; ++row) {
        found.by_kind.try_emplace(row->kind, row);
        found.by_name.try_emplace(row->name, row);
      }
    }
    return found;
  }();
  return all;
}

bool ready_base() {
  base_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
  base_type.tp_dealloc = dealloc;
  base_type.tp_traverse = traverse;
  base_type.tp_clear = clear;
  base_type.tp_call = call;
  base_type.tp_base = &THPNodeType;
  return THPNode_init() && PyType_Ready(&base_type) == 0;
}

// Types live forever, like Python's static types.
PyTypeObject* type_of(NodeClass& node_class) {
  if (node_class.type) return node_class.type;
  auto* type = new PyTypeObject(static_type(node_class.name, sizeof(THPCppFunction)));
  type->tp_base = &base_type;
  type->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = traverse;
  type->tp_clear = clear;
  type->tp_getset = node_class.attributes;
  checked(PyType_Ready(type));
  return node_class.type = type;
}

// ---- torch._C._functions, which creates classes when they are first named
PyObject* module_getattr(PyObject* module, PyObject* wanted) {
  HANDLE_TH_ERRORS
  const char* name = PyUnicode_AsUTF8(wanted);
  if (!name) return nullptr;
  const auto found = classes().by_name.find(name);
  if (found == classes().by_name.end()) {
    throw_python(
        PyExc_AttributeError, "module 'torch._C._functions' has no attribute '%S'", wanted);
  }
  PyObject* type = reinterpret_cast<PyObject*>(type_of(*found->second));
  checked(PyObject_SetAttr(module, wanted, type));
  return Py_NewRef(type);
  END_HANDLE_TH_ERRORS
}

PyObject* module_dir(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  THPObjectPtr names(checked(PyList_New(0)));
  for (const auto& [name, row] : classes().by_name) {
    const THPObjectPtr object(checked(PyUnicode_FromString(name.data())));
    checked(PyList_Append(names.get(), object.get()));
  }
  return names.release();
  END_HANDLE_TH_ERRORS
}

PyMethodDef module_methods[] = {
    {"__getattr__", module_getattr, METH_O, nullptr},
    {"__dir__", module_dir, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    "torch._C._functions",
    nullptr,
    -1,
    module_methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

} // namespace

void add_node_classes(NodeClass* table) {
  class_tables().push_back(table);
}

PyObject* functionToPyObject(const c10::intrusive_ptr<Node>& node) {
  if (!node) Py_RETURN_NONE;
  c10::impl::PyObjectSlot* slot = node->pyobj_slot();
  if (slot->pyobj()) {
    if (slot->owns_pyobj()) return THPFunction_take_back(*node);
    return Py_NewRef(slot->pyobj());
  }
  const Node& kind = *node;
  const auto found = classes().by_kind.find(typeid(kind).name());
  PyTypeObject* type = found == classes().by_kind.end() ? &base_type : type_of(*found->second);
  THPCppFunction* object = PyObject_GC_New(THPCppFunction, type);
  if (!object) throw_python_error();
  new (&object->cdata) c10::intrusive_ptr<Node>(node);
  slot->set_pyobj(reinterpret_cast<PyObject*>(object));
  PyObject_GC_Track(object);
  return reinterpret_cast<PyObject*>(object);
}

c10::intrusive_ptr<Node> node_of(PyObject* object) {
  if (PyObject_TypeCheck(object, &base_type)) return cast(object)->cdata;
  return THPFunction_Check(object) ? THPFunction_node(object) : nullptr;
}

bool THPCppFunction_init(PyObject* module) {
  PyObject* functions = PyModule_Create(&module_definition);
  if (!functions || !ready_base()) return false;
  register_node_classes();
  return PyModule_AddObject(module, "_functions", functions) == 0 &&
      PyModule_AddObjectRef(functions, "CppFunction", reinterpret_cast<PyObject*>(&base_type)) == 0;
}

} // namespace torch::autograd
