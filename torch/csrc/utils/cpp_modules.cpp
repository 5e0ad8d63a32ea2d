#include <torch/csrc/utils/cpp_modules.h>

#include <ATen/core/function_schema.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/ivalue_convert.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_dispatch.h>

#include <new>
#include <optional>
#include <utility>

namespace torch::python {

namespace {

constexpr const char* kConstructor = "__torch_constructor__";

struct Object {
  PyObject_HEAD BoundModulePtr module;
};

PyTypeObject module_type = static_type("torch._C.cpp.nn.Module", sizeof(Object));

BoundModule& unpack(PyObject* self) {
  const BoundModulePtr& module = reinterpret_cast<Object*>(self)->module;
  TORCH_CHECK(module, Py_TYPE(self)->tp_name, ".__init__ was not called");
  return *module;
}

PyObject* wrap(const BoundModulePtr& module) {
  PyObject* const self = checked(module_type.tp_alloc(&module_type, 0));
  new (&reinterpret_cast<Object*>(self)->module) BoundModulePtr(module);
  return self;
}

// ---- functions of bound classes

// The content of a capsule: a constructor or a method, and how Python calls it.
struct Function {
  std::string name;
  c10::FunctionSchema schema;
  Constructor constructor;
  Method method;
  FreeFunction free_function;
  std::string doc;
  PyMethodDef definition{};
};

constexpr const char* kCapsule = "torch.python.Function";

THPObjectPtr make_capsule(std::unique_ptr<Function> function) {
  THPObjectPtr capsule(checked(PyCapsule_New(function.get(), kCapsule, [](PyObject* object) {
    delete static_cast<Function*>(PyCapsule_GetPointer(object, kCapsule));
  })));
  [[maybe_unused]] const Function* owned_by_capsule = function.release();
  return capsule;
}

// Converts arguments from `first` on.
jit::Stack unpack_arguments(
    const Function& function, PyObject* args, Py_ssize_t first, PyObject* kwargs) {
  const auto& expected = function.schema.arguments();
  if (kwargs && PyDict_GET_SIZE(kwargs) != 0) {
    throw_python(
        PyExc_TypeError, "%s() takes no keyword arguments: its C++ parameters have no names",
        function.name.c_str());
  }
  const Py_ssize_t given = PyTuple_GET_SIZE(args) - first;
  if (given != static_cast<Py_ssize_t>(expected.size())) {
    throw_python(
        PyExc_TypeError, "%s() takes %zu arguments but %zd were given", function.name.c_str(),
        expected.size(), given);
  }
  jit::Stack stack;
  stack.reserve(expected.size());
  for (Py_ssize_t i = 0; i < given; ++i) {
    PyObject* const object = PyTuple_GET_ITEM(args, first + i);
    const auto& type = expected[static_cast<size_t>(i)].type;
    std::optional<c10::IValue> value = to_ivalue(object, type);
    if (!value) {
      throw_python(
          PyExc_TypeError, "%s(): argument %zd must be %s, not %s", function.name.c_str(), i + 1,
          type.str().c_str(), Py_TYPE(object)->tp_name);
    }
    stack.push_back(std::move(*value));
  }
  return stack;
}

PyObject* call_method(PyObject* capsule, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  const auto& function = *static_cast<Function*>(PyCapsule_GetPointer(capsule, kCapsule));
  PyObject* const self = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : nullptr;
  if (!self || !PyObject_TypeCheck(self, &module_type)) {
    throw_python(PyExc_TypeError, "%s() needs a module of C++", function.name.c_str());
  }
  BoundModule& module = unpack(self);
  jit::Stack stack = unpack_arguments(function, args, 1, kwargs);
  {
    const WithoutGil guard;
    function.method(module, stack);
  }
  return pack_results(function.schema, stack);
  END_HANDLE_TH_ERRORS
}

PyObject* call_function(PyObject* capsule, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  const auto& function = *static_cast<Function*>(PyCapsule_GetPointer(capsule, kCapsule));
  jit::Stack stack = unpack_arguments(function, args, 0, kwargs);
  {
    const WithoutGil guard;
    function.free_function(stack);
  }
  return pack_results(function.schema, stack);
  END_HANDLE_TH_ERRORS
}

// Returns a builtin function that owns its C++ function.
THPObjectPtr make_builtin(std::unique_ptr<Function> function, PyCFunctionWithKeywords call) {
  function->definition = {
      function->name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call)),
      METH_VARARGS | METH_KEYWORDS, function->doc.c_str()};
  PyMethodDef* const definition = &function->definition;
  const THPObjectPtr capsule = make_capsule(std::move(function));
  return THPObjectPtr(checked(PyCFunction_New(definition, capsule.get())));
}

// ---- the base class

PyObject* new_module(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* const self = type->tp_alloc(type, 0);
  if (self) new (&reinterpret_cast<Object*>(self)->module) BoundModulePtr();
  return self;
}

int init_module(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  const THPObjectPtr capsule(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), kConstructor));
  if (!capsule) {
    PyErr_Clear();
    throw_python(PyExc_TypeError, "%s: No constructor defined!", Py_TYPE(self)->tp_name);
  }
  const auto& function = *static_cast<Function*>(PyCapsule_GetPointer(capsule.get(), kCapsule));
  jit::Stack stack = unpack_arguments(function, args, 0, kwargs);
  reinterpret_cast<Object*>(self)->module = function.constructor(stack);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

void dealloc_module(PyObject* self) {
  reinterpret_cast<Object*>(self)->module.~BoundModulePtr();
  Py_TYPE(self)->tp_free(self);
}

PyObject* wrap_entry(const at::Tensor& tensor) {
  return THPVariable_Wrap(tensor);
}
PyObject* wrap_entry(const BoundModulePtr& module) {
  return wrap(module);
}

template <typename T>
PyObject* dict_of(const BoundModule::Named<T>& entries) {
  THPObjectPtr dict(checked(PyDict_New()));
  for (const auto& [name, entry] : entries) {
    const THPObjectPtr value(checked(wrap_entry(entry)));
    checked(PyDict_SetItemString(dict.get(), name.c_str(), value.get()));
  }
  return dict.release();
}

PyObject* get_parameters(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return dict_of(unpack(self).parameters());
  END_HANDLE_TH_ERRORS
}

PyObject* get_buffers(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return dict_of(unpack(self).buffers());
  END_HANDLE_TH_ERRORS
}

PyObject* get_modules(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return dict_of(unpack(self).children());
  END_HANDLE_TH_ERRORS
}

PyObject* get_training(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(unpack(self).is_training());
  END_HANDLE_TH_ERRORS
}

PyObject* repr_module(PyObject* self) {
  HANDLE_TH_ERRORS
  return PyUnicode_FromString(unpack(self).text().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* train(PyObject* self, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  int mode = 1;
  static const char* names[] = {"mode", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|p:train", const_cast<char**>(names), &mode)) {
    return nullptr;
  }
  unpack(self).train(mode != 0);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* eval(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  unpack(self).train(false);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* zero_grad(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  unpack(self).zero_grad();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyMethodDef methods[] = {
    {"train", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(train)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {"eval", eval, METH_NOARGS, nullptr},
    {"zero_grad", zero_grad, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"_parameters", get_parameters, nullptr, nullptr, nullptr},
    {"_buffers", get_buffers, nullptr, nullptr, nullptr},
    {"_modules", get_modules, nullptr, nullptr, nullptr},
    {"training", get_training, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyModuleDef definition_of(const char* name, Py_ssize_t state_size) {
  PyModuleDef definition{};
  definition.m_base = PyModuleDef_HEAD_INIT;
  definition.m_name = name;
  definition.m_size = state_size;
  return definition;
}

bool add_module(PyObject* parent, const char* name, PyModuleDef& definition, THPObjectPtr& made) {
  made = PyModule_Create(&definition);
  return made && PyModule_AddObjectRef(parent, name, made.get()) == 0;
}

} // namespace

bool init_bindings(PyObject* module) {
  module_type.tp_flags |= Py_TPFLAGS_BASETYPE;
  module_type.tp_new = new_module;
  module_type.tp_init = init_module;
  module_type.tp_dealloc = dealloc_module;
  module_type.tp_repr = repr_module;
  module_type.tp_methods = methods;
  module_type.tp_getset = properties;
  static PyModuleDef cpp_definition = definition_of("torch._C.cpp", 0);
  static PyModuleDef nn_definition = definition_of("torch._C.cpp.nn", 0);
  THPObjectPtr cpp, modules;
  return add_module(module, "cpp", cpp_definition, cpp) &&
      add_module(cpp.get(), "nn", nn_definition, modules) &&
      PyModule_AddType(modules.get(), &module_type) == 0;
}

PyObject* add_class(PyObject* module, const char* name) {
  const char* const parent = PyModule_GetName(module);
  if (!parent) throw_python_error();
  const std::string full_name = std::string(parent) + "." + name;
  PyType_Slot slots[] = {{0, nullptr}};
  PyType_Spec spec = {
      full_name.c_str(), static_cast<int>(sizeof(Object)), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const THPObjectPtr bases(checked(PyTuple_Pack(1, &module_type)));
  const THPObjectPtr type(checked(PyType_FromSpecWithBases(&spec, bases.get())));
  checked(PyModule_AddObjectRef(module, name, type.get()));
  return type.get(); // the module keeps it
}

void add_constructor(PyObject* type, const std::string& schema, Constructor constructor) {
  const std::string name = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  auto function = std::make_unique<Function>(Function{
      name, jit::parseSchema("init" + schema), std::move(constructor), nullptr, nullptr, {}});
  checked(PyObject_SetAttrString(type, kConstructor, make_capsule(std::move(function)).get()));
}

void add_method(PyObject* type, const std::string& name, const std::string& schema, Method method) {
  auto function = std::make_unique<Function>(
      Function{name, jit::parseSchema(name + schema), nullptr, std::move(method), nullptr, {}});
  const THPObjectPtr callable = make_builtin(std::move(function), call_method);
  const THPObjectPtr bound(checked(PyInstanceMethod_New(callable.get())));
  checked(PyObject_SetAttrString(type, name.c_str(), bound.get()));
}

void add_function(
    PyObject* module, const std::string& name, const std::string& schema, FreeFunction function,
    const std::string& doc) {
  auto made = std::make_unique<Function>(Function{
      name, jit::parseSchema(name + schema), nullptr, nullptr, std::move(function),
      name + schema + "\n\n" + (doc.empty() ? name : doc) + "\n"});
  const THPObjectPtr builtin = make_builtin(std::move(made), call_function);
  checked(PyModule_AddObjectRef(module, name.c_str(), builtin.get()));
}

PyObject* make_module(const char* name, void (*fill)(PyObject* module)) {
  HANDLE_TH_ERRORS
  // The definition is never freed: the module refers to it.
  auto* definition = new PyModuleDef(definition_of(name, -1));
  THPObjectPtr module(checked(PyModule_Create(definition)));
  fill(module.get());
  return module.release();
  END_HANDLE_TH_ERRORS
}

} // namespace torch::python
