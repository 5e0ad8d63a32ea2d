#include <torch/csrc/jit/python/python_schema.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/utils/ivalue_convert.h>
#include <torch/csrc/utils/object_ptr.h>

#include <memory>
#include <string>

namespace torch::jit {
namespace {

using c10::Argument;
using c10::FunctionSchema;

struct PySchema {
  PyObject_HEAD std::shared_ptr<const FunctionSchema> schema;
};

// An argument or a result; keeps its schema alive.
struct PyArgument {
  PyObject_HEAD std::shared_ptr<const Argument> argument;
};

PyTypeObject schema_type = static_type("torch._C.FunctionSchema", sizeof(PySchema));
PyTypeObject argument_type = static_type("torch._C.Argument", sizeof(PyArgument));

const FunctionSchema& schema_of(PyObject* self) {
  return *reinterpret_cast<PySchema*>(self)->schema;
}
const Argument& argument_of(PyObject* self) {
  return *reinterpret_cast<PyArgument*>(self)->argument;
}

PyObject* text(const std::string& value) {
  return checked(PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size())));
}

template <typename Object>
void dealloc(PyObject* self) {
  reinterpret_cast<Object*>(self)->~Object();
  Py_TYPE(self)->tp_free(self);
}

// ---- FunctionSchema

PyObject* wrap_arguments(
    const std::shared_ptr<const FunctionSchema>& schema, const std::vector<Argument>& arguments) {
  THPObjectPtr list(checked(PyList_New(static_cast<Py_ssize_t>(arguments.size()))));
  for (size_t i = 0; i < arguments.size(); ++i) {
    PyObject* item = checked(argument_type.tp_alloc(&argument_type, 0));
    new (&reinterpret_cast<PyArgument*>(item)->argument)
        std::shared_ptr<const Argument>(schema, &arguments[i]);
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), item);
  }
  return list.release();
}

PyObject* schema_name(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return text(schema_of(self).name());
  END_HANDLE_TH_ERRORS
}
PyObject* schema_overload_name(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return text(schema_of(self).overload_name());
  END_HANDLE_TH_ERRORS
}
PyObject* schema_arguments(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap_arguments(reinterpret_cast<PySchema*>(self)->schema, schema_of(self).arguments());
  END_HANDLE_TH_ERRORS
}
PyObject* schema_returns(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap_arguments(reinterpret_cast<PySchema*>(self)->schema, schema_of(self).returns());
  END_HANDLE_TH_ERRORS
}
PyObject* schema_is_mutable(PyObject* self, void*) {
  return PyBool_FromLong(schema_of(self).is_mutable());
}
PyObject* schema_text(PyObject* self) {
  HANDLE_TH_ERRORS
  return text(c10::toString(schema_of(self)));
  END_HANDLE_TH_ERRORS
}
Py_hash_t schema_hash(PyObject* self) {
  const THPObjectPtr printed(schema_text(self));
  return printed ? PyObject_Hash(printed.get()) : -1;
}
PyObject* schema_compare(PyObject* self, PyObject* other, int operation) {
  HANDLE_TH_ERRORS
  if (Py_TYPE(other) != &schema_type || (operation != Py_EQ && operation != Py_NE)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  const bool equal = c10::toString(schema_of(self)) == c10::toString(schema_of(other));
  return PyBool_FromLong(equal == (operation == Py_EQ));
  END_HANDLE_TH_ERRORS
}

PyGetSetDef schema_properties[] = {
    {"name", schema_name, nullptr, "Return the operator's name, with its namespace.", nullptr},
    {"overload_name", schema_overload_name, nullptr,
     "Return the overload's name, which may be empty.", nullptr},
    {"arguments", schema_arguments, nullptr, "Return the arguments, a list of torch.Argument.",
     nullptr},
    {"returns", schema_returns, nullptr, "Return the results, a list of torch.Argument.", nullptr},
    {"is_mutable", schema_is_mutable, nullptr, "Return whether the operator writes to an argument.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// ---- Argument

PyObject* argument_name(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return text(argument_of(self).name);
  END_HANDLE_TH_ERRORS
}
PyObject* argument_type_text(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return text(argument_of(self).type.str());
  END_HANDLE_TH_ERRORS
}
PyObject* argument_default(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const Argument& argument = argument_of(self);
  if (!argument.default_value) Py_RETURN_NONE;
  return to_python(*argument.default_value, argument.type);
  END_HANDLE_TH_ERRORS
}
PyObject* argument_has_default(PyObject* self, PyObject*) {
  return PyBool_FromLong(argument_of(self).default_value.has_value());
}
PyObject* argument_kwarg_only(PyObject* self, void*) {
  return PyBool_FromLong(argument_of(self).kwarg_only);
}
PyObject* argument_is_write(PyObject* self, void*) {
  const auto& alias = argument_of(self).alias;
  return PyBool_FromLong(alias && alias->is_write);
}
// A set with the alias's name, or an empty one; "a|b" stands for both.
PyObject* alias_set(const std::string& names) {
  THPObjectPtr set(checked(PySet_New(nullptr)));
  for (const char name : names) {
    if (name == '|' || name == ' ') continue;
    const THPObjectPtr symbol(text("alias::" + std::string(1, name)));
    checked(PySet_Add(set.get(), symbol.get()));
  }
  return set.release();
}
PyObject* argument_alias_info(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const auto& alias = argument_of(self).alias;
  if (!alias) Py_RETURN_NONE;
  const THPObjectPtr types(checked(PyImport_ImportModule("types")));
  const THPObjectPtr make(checked(PyObject_GetAttrString(types.get(), "SimpleNamespace")));
  const THPObjectPtr before(alias_set(alias->before));
  const THPObjectPtr after(alias_set(alias->after.empty() ? alias->before : alias->after));
  const THPObjectPtr fields(checked(Py_BuildValue(
      "{s:O,s:O,s:O}", "is_write", alias->is_write ? Py_True : Py_False, "before_set", before.get(),
      "after_set", after.get())));
  const THPObjectPtr none(checked(PyTuple_New(0)));
  return checked(PyObject_Call(make.get(), none.get(), fields.get()));
  END_HANDLE_TH_ERRORS
}
// The length of a list for which a single value is accepted, or None.
PyObject* argument_length(PyObject* self, void*) {
  const int64_t size = argument_of(self).type.size;
  if (size == 0) Py_RETURN_NONE;
  return PyLong_FromLongLong(size);
}

PyGetSetDef argument_properties[] = {
    {"name", argument_name, nullptr, "Return the argument's name.", nullptr},
    {"type", argument_type_text, nullptr, "Return the argument's type as a text.", nullptr},
    {"default_value", argument_default, nullptr, "Return the default, or None.", nullptr},
    {"kwarg_only", argument_kwarg_only, nullptr,
     "Return whether the argument can be given by name only.", nullptr},
    {"is_write", argument_is_write, nullptr, "Return whether the operator writes to the argument.",
     nullptr},
    {"alias_info", argument_alias_info, nullptr,
     "Return what the argument aliases, with is_write, before_set and after_set, or None.",
     nullptr},
    {"N", argument_length, nullptr,
     "Return the length of a list that one value may stand for, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef argument_methods[] = {
    {"has_default_value", argument_has_default, METH_NOARGS,
     "has_default_value() -> bool\n"
     "\n"
     "Return whether the argument has a default."},
    {nullptr, nullptr, 0, nullptr}};

// ---- look-ups

PyObject* wrap_schemas(const std::vector<std::shared_ptr<Operator>>& operators) {
  THPObjectPtr list(checked(PyList_New(static_cast<Py_ssize_t>(operators.size()))));
  for (size_t i = 0; i < operators.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), wrap_schema(operators[i]->schema()));
  }
  return list.release();
}

PyObject* all_schemas(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return wrap_schemas(getAllOperators());
  END_HANDLE_TH_ERRORS
}

PyObject* schemas_for_operator(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* wanted = PyUnicode_AsUTF8(name);
  if (!wanted) return nullptr;
  return wrap_schemas(getAllOperatorsFor(wanted));
  END_HANDLE_TH_ERRORS
}

PyObject* parse_schema(PyObject*, PyObject* schema) {
  HANDLE_TH_ERRORS
  const char* written = PyUnicode_AsUTF8(schema);
  if (!written) return nullptr;
  return wrap_schema(parseSchema(written));
  END_HANDLE_TH_ERRORS
}

PyMethodDef module_methods[] = {
    {"_jit_get_all_schemas", all_schemas, METH_NOARGS, nullptr},
    {"_jit_get_schemas_for_operator", schemas_for_operator, METH_O, nullptr},
    {"parse_schema", parse_schema, METH_O,
     "parse_schema(schema) -> torch.FunctionSchema\n"
     "\n"
     "Parse an operator schema.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the text is not a schema.\n"
     "\n"
     "Example:\n"
     "    >>> torch.parse_schema(\"aten::abs(Tensor self) -> Tensor\").name\n"
     "    'aten::abs'"},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyObject* wrap_schema(const FunctionSchema& schema) {
  PyObject* self = checked(schema_type.tp_alloc(&schema_type, 0));
  new (&reinterpret_cast<PySchema*>(self)->schema)
      std::shared_ptr<const FunctionSchema>(std::make_shared<FunctionSchema>(schema));
  return self;
}

bool initSchemaBindings(PyObject* module) {
  for (PyTypeObject* type : {&schema_type, &argument_type}) {
    type->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  }
  schema_type.tp_dealloc = dealloc<PySchema>;
  schema_type.tp_doc = "The signature of an operator.";
  schema_type.tp_getset = schema_properties;
  schema_type.tp_str = schema_type.tp_repr = schema_text;
  schema_type.tp_hash = schema_hash;
  schema_type.tp_richcompare = schema_compare;
  argument_type.tp_dealloc = dealloc<PyArgument>;
  argument_type.tp_doc = "One argument, or one result, of a torch.FunctionSchema.";
  argument_type.tp_getset = argument_properties;
  argument_type.tp_methods = argument_methods;
  return PyModule_AddType(module, &schema_type) == 0 &&
      PyModule_AddType(module, &argument_type) == 0 &&
      PyModule_AddFunctions(module, module_methods) == 0;
}

} // namespace torch::jit
