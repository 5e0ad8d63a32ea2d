#include <torch/csrc/jit/python/mobile/archive.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/serialization/mobile_bytecode_generated.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch::jit::mobile {

namespace {

using namespace serialization;

// Converters return a new reference. Py_BuildValue passes on the nullptr of one that failed.

PyObject* text(const flatbuffers::String* string) {
  if (!string) return PyUnicode_FromString("");
  return PyUnicode_DecodeUTF8(string->c_str(), static_cast<Py_ssize_t>(string->size()), "strict");
}

PyObject* bytes(const flatbuffers::String* string) {
  if (!string) return PyBytes_FromString("");
  return PyBytes_FromStringAndSize(string->c_str(), static_cast<Py_ssize_t>(string->size()));
}

// The list of the converted elements; empty where the archive has no such vector.
template <typename Vector, typename Convert>
PyObject* list_of(const Vector* vector, const Convert& convert) {
  const auto size = static_cast<Py_ssize_t>(vector ? vector->size() : 0);
  THPObjectPtr list(checked(PyList_New(size)));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyList_SET_ITEM(
        list.get(), i, checked(convert(vector->Get(static_cast<flatbuffers::uoffset_t>(i)))));
  }
  return list.release();
}

template <typename Vector>
PyObject* integers(const Vector* vector) {
  return list_of(vector, [](auto value) { return PyLong_FromLongLong(value); });
}

PyObject* texts(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* vector) {
  return list_of(vector, text);
}

PyObject* files(const flatbuffers::Vector<flatbuffers::Offset<ExtraFile>>* vector) {
  return list_of(vector, [](const ExtraFile* file) {
    return Py_BuildValue("(NN)", text(file->name()), bytes(file->content()));
  });
}

PyObject* arguments(const flatbuffers::Vector<flatbuffers::Offset<Arg>>* vector) {
  return list_of(vector, [](const Arg* argument) {
    return Py_BuildValue(
        "(NNI)", text(argument->name()), text(argument->type()), argument->default_value());
  });
}

PyObject* schema(const Schema* schema) {
  if (!schema) Py_RETURN_NONE;
  return Py_BuildValue("(NN)", arguments(schema->arguments()), arguments(schema->returns()));
}

PyObject* instruction(const Instruction* instruction) {
  return Py_BuildValue("(iii)", instruction->op(), instruction->n(), instruction->x());
}

PyObject* operator_row(const Operator* row) {
  return Py_BuildValue(
      "(NNi)", text(row->name()), text(row->overload_name()), row->num_args_serialized());
}

PyObject* function(const Function& function) {
  return Py_BuildValue(
      "(sNNNNNiNI)", "Function", text(function.qn()), list_of(function.instructions(), instruction),
      list_of(function.operators(), operator_row), integers(function.constants()),
      texts(function.type_annotations()), function.register_size(), schema(function.schema()),
      function.class_type());
}

PyObject* tensor(const TensorMetadata& tensor) {
  return Py_BuildValue(
      "(sIiiNNNN)", "Tensor", tensor.storage_location_index(), tensor.scalar_type(),
      tensor.storage_offset(), integers(tensor.sizes()), integers(tensor.strides()),
      PyBool_FromLong(tensor.requires_grad()),
      PyBool_FromLong(tensor.quantized_schema() != nullptr));
}

// None, numbers and strings are themselves; other values are tuples that begin with their kind.
PyObject* value(const IValue* holder) {
  switch (holder->val_type()) {
    case IValueUnion::NONE:
      Py_RETURN_NONE;
    case IValueUnion::Int:
      return PyLong_FromLongLong(holder->val_as_Int()->int_val());
    case IValueUnion::Bool:
      return PyBool_FromLong(holder->val_as_Bool()->bool_val());
    case IValueUnion::Double:
      return PyFloat_FromDouble(holder->val_as_Double()->double_val());
    case IValueUnion::ComplexDouble: {
      const ComplexDouble& number = *holder->val_as_ComplexDouble();
      return PyComplex_FromDoubles(number.real(), number.imag());
    }
    case IValueUnion::String:
      return text(holder->val_as_String()->data());
    case IValueUnion::TensorMetadata:
      return tensor(*holder->val_as_TensorMetadata());
    case IValueUnion::List: {
      const List& list = *holder->val_as_List();
      return Py_BuildValue("(sNN)", "List", integers(list.items()), text(list.annotation_str()));
    }
    case IValueUnion::IntList:
      return Py_BuildValue("(sN)", "IntList", integers(holder->val_as_IntList()->items()));
    case IValueUnion::DoubleList:
      return Py_BuildValue(
          "(sN)", "DoubleList", list_of(holder->val_as_DoubleList()->items(), PyFloat_FromDouble));
    case IValueUnion::BoolList:
      return Py_BuildValue(
          "(sN)", "BoolList", list_of(holder->val_as_BoolList()->items(), [](uint8_t item) {
            return PyBool_FromLong(item);
          }));
    case IValueUnion::Tuple:
      return Py_BuildValue("(sN)", "Tuple", integers(holder->val_as_Tuple()->items()));
    case IValueUnion::Dict: {
      const Dict& dict = *holder->val_as_Dict();
      return Py_BuildValue(
          "(sNNN)", "Dict", integers(dict.keys()), integers(dict.values()),
          text(dict.annotation_str()));
    }
    case IValueUnion::Object: {
      const Object& object = *holder->val_as_Object();
      return Py_BuildValue(
          "(sIINI)", "Object", object.type_index(), object.state(), integers(object.attrs()),
          object.setstate_func());
    }
    case IValueUnion::Device:
      return Py_BuildValue("(sN)", "Device", text(holder->val_as_Device()->str()));
    case IValueUnion::EnumValue: {
      const EnumValue& member = *holder->val_as_EnumValue();
      return Py_BuildValue("(sNI)", "Enum", text(member.type_name()), member.value());
    }
    case IValueUnion::Function:
      return function(*holder->val_as_Function());
  }
  TORCH_CHECK(
      false, "the archive has a value of the unknown kind ", static_cast<int>(holder->val_type()),
      "; a later version of PyTorch may have written it");
}

PyObject* object_type(const ObjectType* type) {
  return Py_BuildValue(
      "(NHN)", text(type->type_name()), static_cast<int>(type->type()), texts(type->attr_names()));
}

} // namespace

PyObject* archive_to_python(const uint8_t* data, size_t size) {
  constexpr size_t least = sizeof(flatbuffers::uoffset_t) + flatbuffers::kFileIdentifierLength;
  TORCH_CHECK(
      size >= least && ModuleBufferHasIdentifier(data),
      "not a mobile archive: it does not have the identifier ", ModuleIdentifier());
  flatbuffers::Verifier verifier(data, size);
  TORCH_CHECK(
      VerifyModuleBuffer(verifier),
      "the mobile archive is damaged: one of its tables reaches outside of its ", size, " bytes");
  const Module& module = *GetModule(data);
  const auto storage = [data](const StorageData* storage) {
    const auto* content = storage->data();
    const auto offset = content ? content->data() - data : 0;
    return Py_BuildValue(
        "(nn)", static_cast<Py_ssize_t>(offset),
        static_cast<Py_ssize_t>(content ? content->size() : 0));
  };
  return Py_BuildValue(
      "(IINNINNNNN)", module.bytecode_version(), module.operator_version(),
      integers(module.methods()), files(module.extra_files()), module.state_obj(),
      list_of(module.ivalues(), value), list_of(module.storage_data(), storage),
      list_of(module.object_types(), object_type), files(module.jit_sources()),
      integers(module.jit_constants()));
}

} // namespace torch::jit::mobile
