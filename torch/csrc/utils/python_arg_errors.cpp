// Error and deprecation messages for rejected calls, with the same wording as in PyTorch.
#include <c10/util/Exception.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>

#include <string>
#include <vector>

namespace torch {

class ArgErrors {
 public:
  ArgErrors(
      const PythonArgParser& parser, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames)
      : parser_(parser), args_(args), nargs_(nargs), kwnames_(kwnames) {}

  [[noreturn]] void raise() const {
    if (parser_.count_ == 1) explain_one(parser_.signatures_[0]);
    const Signature* plausible = nullptr;
    int count = 0;
    for (int i = 0; i < parser_.count_; ++i) {
      const Signature& signature = parser_.signatures_[i];
      if (signature.hidden || !could_fit(signature)) continue;
      plausible = &signature;
      ++count;
    }
    if (count == 1) explain_one(*plausible);
    fail(combination());
  }

 private:
  Py_ssize_t keywords() const { return kwnames_ ? PyTuple_GET_SIZE(kwnames_) : 0; }
  Py_ssize_t given() const { return nargs_ + keywords(); }
  std::string keyword(Py_ssize_t k) const {
    return PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames_, k));
  }
  std::string name() const { return parser_.name(); }

  // Whether all positional arguments form one list of ints, as in view(2, 3).
  bool takes_all_positional(const Signature& signature) const {
    return nargs_ >= 1 && signature.positional == 1 && !signature.parameters[0].size &&
        signature.parameters[0].type == ParameterType::IntList && PyLong_Check(args_[0]);
  }
  Py_ssize_t filled(const Signature& signature) const {
    return takes_all_positional(signature) ? 1 : nargs_;
  }
  static int required_among(const Signature& signature, int count) {
    int required = 0;
    for (int i = 0; i < count; ++i)
      required += !signature.parameters[i].has_default();
    return required;
  }
  bool could_fit(const Signature& signature) const {
    const int required = required_among(signature, signature.count);
    const Py_ssize_t count = filled(signature) + keywords();
    return required <= count && count <= signature.count;
  }

  [[noreturn]] static void fail(const std::string& message) {
    throw_python(PyExc_TypeError, "%s", message.c_str());
  }

  static std::string type_name(const Parameter& parameter) {
    switch (parameter.type) {
      case ParameterType::Tensor:
        return "Tensor";
      case ParameterType::Scalar:
      case ParameterType::Number:
        return "Number";
      case ParameterType::Int:
      case ParameterType::SymInt:
        return "int";
      case ParameterType::Double:
        return "float";
      case ParameterType::Bool:
        return "bool";
      case ParameterType::String:
        return "str";
      case ParameterType::IntList:
        return "tuple of ints";
      case ParameterType::DoubleList:
        return "tuple of floats";
      case ParameterType::BoolList:
        return "tuple of bools";
      case ParameterType::ScalarList:
        return "tuple of Scalars";
      case ParameterType::TensorList:
      case ParameterType::OptionalTensorList:
        return "tuple of Tensors";
      case ParameterType::ScalarType:
        return "torch.dtype";
      case ParameterType::Layout:
        return "torch.layout";
      case ParameterType::Device:
        return "torch.device";
      case ParameterType::MemoryFormat:
        return "torch.memory_format";
      case ParameterType::Generator:
        return "torch.Generator";
      case ParameterType::Storage:
        return "torch.StorageBase";
      case ParameterType::Object:
        return "object";
    }
    return "object";
  }

  static std::string given_type(PyObject* object) {
    if (THPVariable_Check(object)) return Py_TYPE(object)->tp_name;
    if (PyTuple_Check(object) || PyList_Check(object)) {
      std::string text = PyTuple_Check(object) ? "tuple of (" : "list of [";
      const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
      for (Py_ssize_t i = 0; i < count; ++i) {
        if (i) text += ", ";
        text += given_type(PySequence_Fast_GET_ITEM(object, i));
        if (PyTuple_Check(object) && count == 1) text += ",";
      }
      return text + (PyTuple_Check(object) ? ")" : "]");
    }
    return Py_TYPE(object)->tp_name;
  }

  bool fits(const Parameter& parameter, PyObject* object) const {
    PyObject* slots[1];
    struct Scratch : PythonArgs {
      explicit Scratch(PyObject** storage) : PythonArgs(storage) {}
    } scratch(slots);
    return (object == Py_None && parameter.allows_none()) ||
        parser_.accepts(parameter, object, scratch);
  }

  // The first item of a list is checked, and reported.
  static std::string unlike(const Parameter& parameter, PyObject* object) {
    if (parameter.type != ParameterType::IntList ||
        !(PyTuple_Check(object) || PyList_Check(object)))
      return std::string(", not ") + Py_TYPE(object)->tp_name;
    const PyObject* first = PySequence_Fast_GET_ITEM(object, 0);
    return std::string(", but found element of type ") + Py_TYPE(first)->tp_name + " at pos 0";
  }

  int index_of(const Signature& signature, const std::string& keyword) const {
    for (int i = 0; i < signature.count; ++i) {
      if (signature.parameters[i].name == keyword) return i;
    }
    return -1;
  }

  // The argument for parameter i, or nullptr.
  PyObject* argument(const Signature& signature, int i) const {
    if (i < filled(signature)) return args_[i];
    for (Py_ssize_t k = 0; k < keywords(); ++k) {
      if (keyword(k) == signature.parameters[i].name) return args_[nargs_ + k];
    }
    return nullptr;
  }

  // The checks follow PyTorch's order: the number of arguments, then each parameter, then keywords.
  [[noreturn]] void explain_one(const Signature& signature) const {
    if (filled(signature) > signature.positional) explain_surplus(signature);
    for (int i = 0; i < signature.count; ++i) {
      const Parameter& parameter = signature.parameters[i];
      PyObject* object = argument(signature, i);
      if (!object) {
        if (!parameter.has_default()) explain_missing(signature, i);
      } else if (!(i == 0 && takes_all_positional(signature)) && !fits(parameter, object)) {
        const std::string where = i < nargs_ ? " (position " + std::to_string(i + 1) + ")" : "";
        fail(
            name() + "(): argument '" + std::string(parameter.name) + "'" + where + " must be " +
            type_name(parameter) + unlike(parameter, object));
      }
    }
    explain_keywords(signature);
    fail(combination());
  }

  [[noreturn]] void explain_surplus(const Signature& signature) const {
    const int most = signature.positional, least = required_among(signature, most);
    const std::string range = least < most ? "from " + std::to_string(least) + " to " : "";
    fail(
        name() + "() takes " + range + std::to_string(most) + " positional argument" +
        (most == 1 ? "" : "s") + " but " + std::to_string(nargs_) +
        (nargs_ == 1 ? " was" : " were") + " given");
  }

  [[noreturn]] void explain_missing(const Signature& signature, int first) const {
    std::string text;
    int count = 0;
    for (int i = first; i < signature.count; ++i) {
      if (signature.parameters[i].has_default() || argument(signature, i)) continue;
      text += (count++ ? ", \"" : "\"") + std::string(signature.parameters[i].name) + "\"";
    }
    // PyTorch's plural.
    fail(
        name() + "() missing " + std::to_string(count) + " required positional argument" +
        (count == 1 ? "s" : "") + ": " + text);
  }

  void explain_keywords(const Signature& signature) const {
    for (Py_ssize_t k = 0; k < keywords(); ++k) {
      const int i = index_of(signature, keyword(k));
      if (i < 0) fail(name() + "() got an unexpected keyword argument '" + keyword(k) + "'");
      if (i < nargs_) fail(name() + "() got multiple values for argument '" + keyword(k) + "'");
    }
  }

  // PyTorch compares the names of types with the parts of a printed signature: "*" is one of them,
  // and a part with a default, a list or a Number is found to fit nothing.
  static const Parameter* part(const Signature& signature, Py_ssize_t position) {
    if (position == signature.positional) return nullptr;
    return &signature.parameters[position - (position > signature.positional)];
  }
  static bool fits_part(const Parameter* parameter, PyObject* object) {
    return parameter && !parameter->has_default() && type_name(*parameter) == given_type(object);
  }
  std::string wrong_keywords(const Signature& signature) const {
    std::string wrong;
    for (Py_ssize_t k = 0; k < keywords(); ++k) {
      const int i = index_of(signature, keyword(k));
      if (i < 0 || signature.parameters[i].has_default())
        wrong += (wrong.empty() ? "" : ", ") + keyword(k);
    }
    return wrong;
  }

  // For a candidate with a matching number of parts: marks the arguments it does not accept with !.
  std::string mismatch(const Signature& signature) const {
    const bool has_star = signature.count > signature.positional;
    if (given() != signature.count + has_star) return "";
    const std::string lead = "\n      didn't match because some of the ";
    const std::string wrong = wrong_keywords(signature);
    if (!wrong.empty()) return lead + "keywords were incorrect: " + wrong;
    std::string types;
    for (Py_ssize_t a = 0; a < given(); ++a) {
      const bool named = a >= nargs_;
      const Parameter* parameter = named
          ? &signature.parameters[index_of(signature, keyword(a - nargs_))]
          : part(signature, a);
      const std::string shown = (named ? keyword(a - nargs_) + "=" : "") + given_type(args_[a]);
      types += types.empty() ? "" : ", ";
      types += fits_part(parameter, args_[a]) ? shown : "!" + shown + "!";
    }
    return types.empty() ? "" : lead + "arguments have invalid types: (" + types + ")";
  }

  std::string combination() const {
    std::string got;
    for (Py_ssize_t a = 0; a < given(); ++a) {
      if (a) got += ", ";
      if (a >= nargs_) got += keyword(a - nargs_) + "=";
      got += Py_TYPE(args_[a])->tp_name;
    }
    std::string text = name() + "() received an invalid combination of arguments - got (" + got +
        "), but expected ";
    std::vector<const Signature*> shown;
    for (int i = 0; i < parser_.count_; ++i) {
      if (!parser_.signatures_[i].hidden) shown.push_back(&parser_.signatures_[i]);
    }
    if (shown.size() == 1) return text + shown.front()->text;
    text += "one of:\n";
    for (const Signature* signature : shown) {
      text += std::string(" * ") + signature->text + mismatch(*signature) + "\n";
    }
    return text;
  }

  const PythonArgParser& parser_;
  PyObject* const* args_;
  Py_ssize_t nargs_;
  PyObject* kwnames_;
};

void PythonArgs::warn_deprecated() const {
  std::string instead;
  for (int i = 0; i < parser_->count_; ++i) {
    const Signature& signature = parser_->signatures_[i];
    if (!signature.hidden) instead += std::string("\n\t") + name() + signature.text;
  }
  TORCH_WARN_ONCE(
      "This overload of ", name(), " is deprecated:\n\t", name(), signature_->text,
      "\nConsider using one of the following signatures instead:", instead);
}

void PythonArgParser::raise(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) const {
  ArgErrors(*this, args, nargs, kwnames).raise();
}

} // namespace torch
