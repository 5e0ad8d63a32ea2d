#include <torch/csrc/utils/python_checked_function.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/torch_function.h>

#include <deque>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torch {
namespace {

constexpr int kMostParameters = 32;

constexpr std::pair<std::string_view, ParameterType> kTypes[] = {
    {"Tensor", ParameterType::Tensor},
    {"Tensor[]", ParameterType::TensorList},
    {"Scalar", ParameterType::Scalar},
    {"Scalar[]", ParameterType::ScalarList},
    {"int", ParameterType::Int},
    {"SymInt", ParameterType::SymInt},
    {"int[]", ParameterType::IntList},
    {"float", ParameterType::Double},
    {"float[]", ParameterType::DoubleList},
    {"bool", ParameterType::Bool},
    {"str", ParameterType::String},
    {"ScalarType", ParameterType::ScalarType},
    {"Layout", ParameterType::Layout},
    {"Device", ParameterType::Device},
    {"MemoryFormat", ParameterType::MemoryFormat},
    {"Generator", ParameterType::Generator},
    {"object", ParameterType::Object}};

ParameterType type_of(std::string_view name) {
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  throw_python(PyExc_ValueError, "unknown type of a parameter: %s", std::string(name).c_str());
}

// The tables of a parser, and the texts that they point into.
class Signatures {
 public:
  // `rows` holds (text, number of positional parameters, whether it is hidden, parameters) for each
  // signature, and (name, type, flags, size) for each parameter.
  Signatures(const char* name, PyObject* rows)
      : name_(name),
        signatures_(read(rows)),
        parser_(name_.c_str(), signatures_.data(), static_cast<int>(signatures_.size()), kPlain) {}
  Signatures(const Signatures&) = delete;
  Signatures& operator=(const Signatures&) = delete;

  const PythonArgParser& parser() const { return parser_; }
  const Signature& operator[](int i) const { return signatures_[i]; }

 private:
  std::vector<Signature> read(PyObject* rows) {
    std::vector<Signature> found;
    const THPObjectPtr sequence(checked(PySequence_Tuple(rows)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence.get()); ++i) {
      const char* text = nullptr;
      int positional = 0, hidden = 0;
      PyObject* parameters = nullptr;
      if (!PyArg_ParseTuple(
              PyTuple_GET_ITEM(sequence.get(), i), "sipO!", &text, &positional, &hidden,
              &PyTuple_Type, &parameters)) {
        throw_python_error();
      }
      const std::vector<Parameter>& table = read_parameters(parameters);
      found.push_back(
          {texts_.emplace_back(text).c_str(), table.data(), static_cast<uint8_t>(table.size()),
           static_cast<uint8_t>(positional), hidden != 0});
    }
    return found;
  }

  const std::vector<Parameter>& read_parameters(PyObject* rows) {
    std::vector<Parameter>& table = parameters_.emplace_back();
    if (PyTuple_GET_SIZE(rows) > kMostParameters) {
      throw_python(
          PyExc_ValueError, "%s has more than %d parameters", name_.c_str(), kMostParameters);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(rows); ++i) {
      const char *name = nullptr, *type = nullptr;
      unsigned char flags = 0, size = 0;
      if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "ssbb", &name, &type, &flags, &size)) {
        throw_python_error();
      }
      table.push_back({texts_.emplace_back(name), type_of(type), flags, size});
    }
    return table;
  }

  std::string name_;
  std::deque<std::string> texts_;
  std::deque<std::vector<Parameter>> parameters_;
  std::vector<Signature> signatures_;
  PythonArgParser parser_;
};

struct CheckedFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* without_out; // called instead unless the keyword `out` is given, or null
  PyObject* attributes;  // the instance's __dict__
  PyObject* weak_references;
  std::unique_ptr<Signatures> signatures;
};

CheckedFunction* unpack(PyObject* self) {
  return reinterpret_cast<CheckedFunction*>(self);
}

int index_of(const Signature& signature, PyObject* name) {
  for (int i = 0; i < signature.count; ++i) {
    if (PyUnicode_CompareWithASCIIString(name, signature.parameters[i].name.data()) == 0) return i;
  }
  return -1;
}

// The keywords with NumPy's names (axis, keepdims) replaced by those of the parameters.
THPObjectPtr parameter_names(
    const Signature& signature, const PythonArgs& parsed, PyObject* const* args, Py_ssize_t nargs,
    PyObject* kwnames) {
  const Py_ssize_t count = PyTuple_GET_SIZE(kwnames);
  THPObjectPtr names(checked(PyTuple_New(count)));
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* name = Py_NewRef(PyTuple_GET_ITEM(kwnames, k));
    if (index_of(signature, name) < 0) {
      int i = static_cast<int>(nargs);
      while (parsed.object(i) != args[nargs + k])
        ++i;
      Py_DECREF(name);
      name = checked(PyUnicode_FromString(signature.parameters[i].name.data()));
    }
    PyTuple_SET_ITEM(names.get(), k, name);
  }
  return names;
}

// Raises TypeError for an item of a list that does not fit; parsing looks at the first one only.
void check_items(const Signature& signature, const PythonArgs& parsed) {
  for (int i = 0; i < signature.count; ++i) {
    if (!parsed.has(i)) continue;
    const ParameterType type = signature.parameters[i].type;
    if (type == ParameterType::TensorList) parsed.tensor_list(i);
    if (type == ParameterType::IntList) parsed.int_list(i);
  }
}

bool has_keyword(PyObject* kwnames, const char* name) {
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); ++k) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), name) == 0) return true;
  }
  return false;
}

// A deprecated signature has the parameters of the function in another order.
PyObject* call_by_name(PyObject* function, const Signature& signature, const PythonArgs& parsed) {
  const THPObjectPtr keywords(checked(PyDict_New()));
  for (int i = 0; i < signature.count; ++i) {
    if (!parsed.has(i)) continue;
    const char* name = signature.parameters[i].name.data();
    if (PyDict_SetItemString(keywords.get(), name, parsed.object(i)) < 0) return nullptr;
  }
  const THPObjectPtr none(checked(PyTuple_New(0)));
  return PyObject_Call(function, none.get(), keywords.get());
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  const Signatures& signatures = *unpack(self)->signatures;
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  ParsedArgs<kMostParameters> parsed;
  const int chosen = signatures.parser().parse(parsed, nullptr, args, nargs, kwnames);
  if (chosen == kOverridden) {
    return call_torch_function(Py_NewRef(self), nullptr, args, nargs, kwnames);
  }
  check_items(signatures[chosen], parsed);
  PyObject* function = unpack(self)->function;
  PyObject* const without_out = unpack(self)->without_out;
  if (without_out && !has_keyword(kwnames, "out")) function = without_out;
  if (signatures[chosen].hidden) {
    parsed.warn_deprecated();
    return call_by_name(function, signatures[chosen], parsed);
  }
  if (!kwnames) return PyObject_Vectorcall(function, args, nargsf, nullptr);
  const THPObjectPtr names = parameter_names(signatures[chosen], parsed, args, nargs, kwnames);
  return PyObject_Vectorcall(function, args, nargsf, names.get());
  END_HANDLE_TH_ERRORS
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  HANDLE_TH_ERRORS
  PyObject *function = nullptr, *rows = nullptr, *without_out = nullptr;
  const char* name = nullptr;
  static const char* const keywords[] = {"function", "name", "signatures", "without_out", nullptr};
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OsO|O", const_cast<char**>(keywords), &function, &name, &rows,
          &without_out)) {
    return nullptr;
  }
  auto signatures = std::make_unique<Signatures>(name, rows);
  THPObjectPtr self(checked(type->tp_alloc(type, 0)));
  CheckedFunction* const made = unpack(self.get());
  new (&made->signatures) std::unique_ptr<Signatures>(std::move(signatures));
  made->call = call;
  made->function = Py_NewRef(function);
  made->without_out = Py_XNewRef(without_out);
  made->attributes = checked(PyDict_New());
  return self.release();
  END_HANDLE_TH_ERRORS
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(unpack(self)->function);
  Py_VISIT(unpack(self)->without_out);
  Py_VISIT(unpack(self)->attributes);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(unpack(self)->function);
  Py_CLEAR(unpack(self)->without_out);
  Py_CLEAR(unpack(self)->attributes);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (unpack(self)->weak_references) PyObject_ClearWeakRefs(self);
  clear(self);
  unpack(self)->signatures.~unique_ptr();
  Py_TYPE(self)->tp_free(self);
}

PyObject* repr(PyObject* self) {
  const char* name = unpack(self)->signatures->parser().name();
  return PyUnicode_FromFormat("<built-in method %s of type object at %p>", name, self);
}

// Functions are pickled and copied by name.
PyObject* reduce(PyObject* self, PyObject*) {
  return PyUnicode_FromString(unpack(self)->signatures->parser().name());
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject checked_function_type = [] {
  PyTypeObject type = static_type("torch._C._CheckedFunction", sizeof(CheckedFunction));
  type.tp_flags |= Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;
  type.tp_vectorcall_offset = offsetof(CheckedFunction, call);
  type.tp_dictoffset = offsetof(CheckedFunction, attributes);
  type.tp_weaklistoffset = offsetof(CheckedFunction, weak_references);
  type.tp_call = PyVectorcall_Call;
  type.tp_new = make;
  type.tp_dealloc = dealloc;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_repr = repr;
  type.tp_methods = methods;
  type.tp_getset = properties;
  return type;
}();

} // namespace

bool init_checked_function(PyObject* module) {
  return PyModule_AddType(module, &checked_function_type) == 0;
}

} // namespace torch
