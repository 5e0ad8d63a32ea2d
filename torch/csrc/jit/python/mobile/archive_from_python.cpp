#include <torch/csrc/jit/python/mobile/archive.h>

#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/serialization/mobile_bytecode_generated.h>
#include <torch/csrc/utils/object_ptr.h>

#include <string_view>
#include <utility>
#include <vector>

namespace torch::jit::mobile {

namespace {

using namespace serialization;
using flatbuffers::Offset;

// Room for the tables that a file needs after its last storage.
constexpr size_t kTableRoom = size_t{1} << 16;
constexpr size_t kStorageAlignment = 16;

std::string_view view(PyObject* string) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(string, &size);
  if (!data) throw_python_error();
  return {data, static_cast<size_t>(size)};
}

long long integer(PyObject* number) {
  const long long value = PyLong_AsLongLong(number);
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  return value;
}

// The bytes of an object with the buffer protocol.
class Buffer {
 public:
  explicit Buffer(PyObject* object) { checked(PyObject_GetBuffer(object, &buffer_, PyBUF_SIMPLE)); }
  ~Buffer() { PyBuffer_Release(&buffer_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const uint8_t* data() const { return static_cast<const uint8_t*>(buffer_.buf); }
  size_t size() const { return static_cast<size_t>(buffer_.len); }

 private:
  Py_buffer buffer_{};
};

// Fills in the parts of a tuple; raises TypeError where they do not fit the format.
template <typename... Parts>
void unpack(PyObject* tuple, const char* format, Parts*... parts) {
  if (!PyTuple_Check(tuple)) {
    throw_python(PyExc_TypeError, "expected a tuple of an archive, not %R", tuple);
  }
  if (!PyArg_ParseTuple(tuple, format, parts...)) throw_python_error();
}

class Writer {
 public:
  PyObject* archive(PyObject* content) {
    unsigned bytecode_version = 0, operator_version = 0, state = 0;
    PyObject *methods = nullptr, *extra = nullptr, *values = nullptr, *storages = nullptr;
    PyObject *types = nullptr, *sources = nullptr, *constants = nullptr;
    unpack(
        content, "IIOOIOOOOO", &bytecode_version, &operator_version, &methods, &extra, &state,
        &values, &storages, &types, &sources, &constants);
    const auto value_offsets = each<Offset<IValue>>(values, &Writer::value);
    const auto type_offsets = each<Offset<ObjectType>>(types, &Writer::object_type);
    const auto extra_offsets = each<Offset<ExtraFile>>(extra, &Writer::file);
    const auto source_offsets = each<Offset<ExtraFile>>(sources, &Writer::file);
    const auto method_numbers = numbers<uint32_t>(methods);
    const auto constant_numbers = numbers<uint32_t>(constants);
    const auto storage_offsets = each<Offset<StorageData>>(storages, &Writer::storage);
    const auto root = CreateModuleDirect(
        builder_, bytecode_version, &extra_offsets, &method_numbers, state, &value_offsets,
        static_cast<int32_t>(storage_offsets.size()), &storage_offsets, &type_offsets,
        &source_offsets, &constant_numbers, operator_version,
        static_cast<uint32_t>(value_offsets.size()));
    FinishModuleBuffer(builder_, root);
    return PyBytes_FromStringAndSize(
        reinterpret_cast<const char*>(builder_.GetBufferPointer()),
        static_cast<Py_ssize_t>(builder_.GetSize()));
  }

 private:
  using Text = Offset<flatbuffers::String>;

  template <typename Result, typename Convert>
  std::vector<Result> each(PyObject* list, const Convert& convert) {
    const THPObjectPtr items(checked(PySequence_Fast(list, "expected a list of an archive")));
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.get());
    std::vector<Result> results;
    results.reserve(static_cast<size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* const item = PySequence_Fast_GET_ITEM(items.get(), i);
      if constexpr (std::is_member_function_pointer_v<Convert>) {
        results.push_back((this->*convert)(item));
      } else {
        results.push_back(convert(item));
      }
    }
    return results;
  }

  // A number that the field's type cannot hold is an error.
  template <typename Number>
  std::vector<Number> numbers(PyObject* list) {
    return each<Number>(list, [](PyObject* item) {
      const long long value = integer(item);
      TORCH_CHECK_VALUE(
          std::in_range<Number>(value), value, " does not fit into ", sizeof(Number) * 8,
          " bits of a mobile archive");
      return static_cast<Number>(value);
    });
  }

  Text text(PyObject* string) {
    const std::string_view content = view(string);
    return builder_.CreateString(content.data(), content.size());
  }

  Offset<ExtraFile> file(PyObject* pair) {
    PyObject *name = nullptr, *content = nullptr;
    unpack(pair, "UO", &name, &content);
    const Buffer bytes(content);
    check_room(bytes.size());
    const auto data =
        builder_.CreateString(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return CreateExtraFile(builder_, text(name), data);
  }

  Offset<StorageData> storage(PyObject* object) {
    const Buffer bytes(object);
    check_room(bytes.size());
    builder_.ForceVectorAlignment(bytes.size(), 1, kStorageAlignment);
    return CreateStorageData(builder_, builder_.CreateVector(bytes.data(), bytes.size()));
  }

  void check_room(size_t size) const {
    constexpr size_t most = FLATBUFFERS_MAX_BUFFER_SIZE - kTableRoom;
    TORCH_CHECK_VALUE(
        size < most && builder_.GetSize() < most - size,
        "the module does not fit into a mobile archive, which holds at most 2 GiB");
  }

  Offset<ObjectType> object_type(PyObject* tuple) {
    PyObject *name = nullptr, *attributes = nullptr;
    unsigned char kind = 0;
    unpack(tuple, "UbO", &name, &kind, &attributes);
    const Text type_name = text(name);
    const auto names = each<Text>(attributes, &Writer::text);
    return CreateObjectType(
        builder_, type_name, static_cast<TypeType>(kind), builder_.CreateVector(names));
  }

  Offset<IValue> holder(IValueUnion kind, Offset<void> content) {
    return CreateIValue(builder_, kind, content);
  }
  template <typename Table>
  Offset<IValue> holder(IValueUnion kind, Offset<Table> table) {
    return holder(kind, table.Union());
  }

  Offset<IValue> value(PyObject* object) {
    if (object == Py_None) return holder(IValueUnion::NONE, Offset<void>());
    if (PyBool_Check(object)) {
      return holder(IValueUnion::Bool, builder_.CreateStruct(Bool(object == Py_True)));
    }
    if (PyLong_Check(object)) {
      return holder(IValueUnion::Int, builder_.CreateStruct(Int(integer(object))));
    }
    if (PyFloat_Check(object)) {
      return holder(IValueUnion::Double, builder_.CreateStruct(Double(PyFloat_AS_DOUBLE(object))));
    }
    if (PyComplex_Check(object)) {
      const Py_complex number = PyComplex_AsCComplex(object);
      return holder(
          IValueUnion::ComplexDouble,
          builder_.CreateStruct(ComplexDouble(number.real, number.imag)));
    }
    if (PyUnicode_Check(object)) {
      return holder(IValueUnion::String, CreateString(builder_, text(object)));
    }
    return compound(object);
  }

  Offset<IValue> compound(PyObject* tuple) {
    TORCH_CHECK_TYPE(
        PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) > 0,
        "an archive cannot hold a value of type ", Py_TYPE(tuple)->tp_name);
    const std::string_view kind = view(PyTuple_GET_ITEM(tuple, 0));
    using Write = Offset<IValue> (Writer::*)(PyObject*);
    static constexpr std::pair<std::string_view, Write> kinds[] = {
        {"Tensor", &Writer::tensor},      {"List", &Writer::list},
        {"IntList", &Writer::int_list},   {"DoubleList", &Writer::double_list},
        {"BoolList", &Writer::bool_list}, {"Tuple", &Writer::tuple},
        {"Dict", &Writer::dict},          {"Object", &Writer::object},
        {"Device", &Writer::device},      {"Enum", &Writer::enumerator},
        {"Function", &Writer::function}};
    for (const auto& [name, write] : kinds) {
      if (name == kind) return (this->*write)(tuple);
    }
    TORCH_CHECK_VALUE(false, "an archive has no values of the kind \"", kind, "\"");
  }

  Offset<IValue> tensor(PyObject* tuple) {
    const char* kind = nullptr;
    unsigned location = 0;
    int scalar_type = 0, storage_offset = 0, requires_grad = 0, quantized = 0;
    PyObject *sizes = nullptr, *strides = nullptr;
    unpack(
        tuple, "sIiiOOpp", &kind, &location, &scalar_type, &storage_offset, &sizes, &strides,
        &requires_grad, &quantized);
    TORCH_CHECK_VALUE(!quantized, "quantized tensors cannot be written to a mobile archive");
    const auto size_numbers = numbers<int32_t>(sizes);
    const auto stride_numbers = numbers<int32_t>(strides);
    return holder(
        IValueUnion::TensorMetadata,
        CreateTensorMetadataDirect(
            builder_, location, static_cast<int8_t>(scalar_type), storage_offset, &size_numbers,
            &stride_numbers, requires_grad != 0));
  }

  Offset<IValue> list(PyObject* tuple) {
    const char* kind = nullptr;
    PyObject *items = nullptr, *annotation = nullptr;
    unpack(tuple, "sOU", &kind, &items, &annotation);
    const auto elements = builder_.CreateVector(numbers<uint32_t>(items));
    return holder(IValueUnion::List, CreateList(builder_, elements, text(annotation)));
  }

  PyObject* items_of(PyObject* tuple) {
    const char* kind = nullptr;
    PyObject* items = nullptr;
    unpack(tuple, "sO", &kind, &items);
    return items;
  }

  Offset<IValue> int_list(PyObject* tuple) {
    const auto items = builder_.CreateVector(numbers<int64_t>(items_of(tuple)));
    return holder(IValueUnion::IntList, CreateIntList(builder_, items));
  }

  Offset<IValue> double_list(PyObject* tuple) {
    const auto items = builder_.CreateVector(each<double>(items_of(tuple), [](PyObject* item) {
      const double value = PyFloat_AsDouble(item);
      if (value == -1.0 && PyErr_Occurred()) throw_python_error();
      return value;
    }));
    return holder(IValueUnion::DoubleList, CreateDoubleList(builder_, items));
  }

  Offset<IValue> bool_list(PyObject* tuple) {
    const auto items = builder_.CreateVector(
        each<uint8_t>(items_of(tuple), [](PyObject* item) { return item == Py_True ? 1 : 0; }));
    return holder(IValueUnion::BoolList, CreateBoolList(builder_, items));
  }

  Offset<IValue> tuple(PyObject* tuple) {
    const auto items = builder_.CreateVector(numbers<uint32_t>(items_of(tuple)));
    return holder(IValueUnion::Tuple, CreateTuple(builder_, items));
  }

  Offset<IValue> dict(PyObject* tuple) {
    const char* kind = nullptr;
    PyObject *keys = nullptr, *values = nullptr, *annotation = nullptr;
    unpack(tuple, "sOOU", &kind, &keys, &values, &annotation);
    const auto key_numbers = builder_.CreateVector(numbers<uint32_t>(keys));
    const auto value_numbers = builder_.CreateVector(numbers<uint32_t>(values));
    return holder(
        IValueUnion::Dict, CreateDict(builder_, key_numbers, value_numbers, text(annotation)));
  }

  Offset<IValue> object(PyObject* tuple) {
    const char* kind = nullptr;
    unsigned type = 0, state = 0, setstate = 0;
    PyObject* attributes = nullptr;
    unpack(tuple, "sIIOI", &kind, &type, &state, &attributes, &setstate);
    const auto values = builder_.CreateVector(numbers<uint32_t>(attributes));
    return holder(IValueUnion::Object, CreateObject(builder_, type, state, values, setstate));
  }

  Offset<IValue> device(PyObject* tuple) {
    return holder(IValueUnion::Device, CreateDevice(builder_, text(items_of(tuple))));
  }

  Offset<IValue> enumerator(PyObject* tuple) {
    const char* kind = nullptr;
    PyObject* type_name = nullptr;
    unsigned number = 0;
    unpack(tuple, "sUI", &kind, &type_name, &number);
    return holder(IValueUnion::EnumValue, CreateEnumValue(builder_, text(type_name), number));
  }

  Offset<Arg> argument(PyObject* tuple) {
    PyObject *name = nullptr, *type = nullptr;
    unsigned default_value = 0;
    unpack(tuple, "UUI", &name, &type, &default_value);
    const Text name_text = text(name);
    return CreateArg(builder_, name_text, text(type), default_value);
  }

  Offset<Schema> schema(PyObject* pair) {
    if (pair == Py_None) return {};
    PyObject *arguments = nullptr, *returns = nullptr;
    unpack(pair, "OO", &arguments, &returns);
    const auto taken = builder_.CreateVector(each<Offset<Arg>>(arguments, &Writer::argument));
    const auto given = builder_.CreateVector(each<Offset<Arg>>(returns, &Writer::argument));
    return CreateSchema(builder_, taken, given);
  }

  Offset<Operator> operator_row(PyObject* tuple) {
    PyObject *name = nullptr, *overload = nullptr;
    int count = 0;
    unpack(tuple, "UUi", &name, &overload, &count);
    const Text name_text = text(name);
    return CreateOperator(builder_, name_text, text(overload), count);
  }

  static Instruction instruction(PyObject* tuple) {
    int op = 0, n = 0, x = 0;
    unpack(tuple, "iii", &op, &n, &x);
    TORCH_CHECK_VALUE(
        std::in_range<int8_t>(op) && std::in_range<uint16_t>(n),
        "an instruction of a mobile archive cannot hold the numbers ", op, " and ", n);
    return Instruction(static_cast<int8_t>(op), static_cast<uint16_t>(n), x);
  }

  Offset<IValue> function(PyObject* tuple) {
    const char* kind = nullptr;
    PyObject *name = nullptr, *code = nullptr, *operators = nullptr, *constants = nullptr;
    PyObject *types = nullptr, *signature = nullptr;
    int registers = 0;
    unsigned class_type = 0;
    unpack(
        tuple, "sUOOOOiOI", &kind, &name, &code, &operators, &constants, &types, &registers,
        &signature, &class_type);
    const Text qualified = text(name);
    const auto code_vector = builder_.CreateVectorOfStructs(
        each<Instruction>(code, [](PyObject* item) { return instruction(item); }));
    const auto rows =
        builder_.CreateVector(each<Offset<Operator>>(operators, &Writer::operator_row));
    const auto constant_numbers = builder_.CreateVector(numbers<uint32_t>(constants));
    const auto type_names = builder_.CreateVector(each<Text>(types, &Writer::text));
    const auto schema_offset = schema(signature);
    return holder(
        IValueUnion::Function,
        CreateFunction(
            builder_, qualified, code_vector, rows, constant_numbers, type_names, registers,
            schema_offset, 0, class_type));
  }

  flatbuffers::FlatBufferBuilder builder_;
};

} // namespace

PyObject* archive_from_python(PyObject* content) {
  return Writer().archive(content);
}

} // namespace torch::jit::mobile
