// Reads and writes models of ONNX with protocol buffers. In Python, a model is a dictionary:
//
//   {"ir_version": 8, "opset": 17, "producer": "pytorch", "graph": GRAPH}
//   GRAPH = {"name": str, "nodes": [NODE], "initializers": [TENSOR], "inputs": [VALUE], "outputs":
//   [VALUE]} NODE = (op_type, name, [input], [output], {attribute: int, float, str, TENSOR or a
//   list of the first three}) TENSOR = (name, element type, [size], bytes) VALUE = (name, element
//   type, [size or name of a dimension])
#include <torch/csrc/onnx/model.h>

#include ONNX_HEADER
#include <c10/util/Exception.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_numbers.h>

#include <climits>
#include <string>

namespace torch::onnx {

namespace {

namespace proto = ::ONNX_NAMESPACE;

std::string text(PyObject* object) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object, &size);
  if (!data) throw_python_error();
  return {data, static_cast<size_t>(size)};
}

// The borrowed entry of a dictionary.
PyObject* entry(PyObject* dictionary, const char* key) {
  PyObject* value = PyDict_Check(dictionary) ? PyDict_GetItemString(dictionary, key) : nullptr;
  if (!value) throw_python(PyExc_ValueError, "the model has no \"%s\"", key);
  return value;
}

// The borrowed item of a tuple that must have `size` of them.
PyObject* item(PyObject* tuple, Py_ssize_t index, Py_ssize_t size) {
  if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) != size) {
    throw_python(PyExc_ValueError, "expected a tuple of %zd values, but got %R", size, tuple);
  }
  return PyTuple_GET_ITEM(tuple, index);
}

template <typename Function>
void each(PyObject* sequence, const Function& function) {
  const THPObjectPtr items(
      checked(PySequence_Fast(sequence, "expected a list of the parts of a model")));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    function(PySequence_Fast_GET_ITEM(items.get(), i));
  }
}

// ---- from Python

void write_tensor(PyObject* tensor, proto::TensorProto& to) {
  to.set_name(text(item(tensor, 0, 4)));
  to.set_data_type(static_cast<int32_t>(unpack_long(item(tensor, 1, 4))));
  each(item(tensor, 2, 4), [&](PyObject* size) { to.add_dims(unpack_long(size)); });
  char* data = nullptr;
  Py_ssize_t bytes = 0;
  checked(PyBytes_AsStringAndSize(item(tensor, 3, 4), &data, &bytes));
  to.set_raw_data(data, static_cast<size_t>(bytes));
}

void write_value(PyObject* value, proto::ValueInfoProto& to) {
  to.set_name(text(item(value, 0, 3)));
  auto* type = to.mutable_type()->mutable_tensor_type();
  type->set_elem_type(static_cast<int32_t>(unpack_long(item(value, 1, 3))));
  type->mutable_shape(); // without it, the number of dimensions is unknown
  each(item(value, 2, 3), [&](PyObject* size) {
    auto* dim = type->mutable_shape()->add_dim();
    if (PyUnicode_Check(size)) {
      dim->set_dim_param(text(size));
    } else {
      dim->set_dim_value(unpack_long(size));
    }
  });
}

void write_list(PyObject* values, proto::AttributeProto& to) {
  to.set_type(proto::AttributeProto::INTS); // of an empty list too
  each(values, [&](PyObject* value) {
    if (PyUnicode_Check(value)) {
      to.set_type(proto::AttributeProto::STRINGS);
      to.add_strings(text(value));
    } else if (PyFloat_Check(value)) {
      to.set_type(proto::AttributeProto::FLOATS);
      to.add_floats(static_cast<float>(unpack_double(value)));
    } else {
      to.add_ints(unpack_long(value));
    }
  });
}

void write_attribute(PyObject* value, proto::AttributeProto& to) {
  if (PyUnicode_Check(value)) {
    to.set_type(proto::AttributeProto::STRING);
    to.set_s(text(value));
  } else if (PyFloat_Check(value)) {
    to.set_type(proto::AttributeProto::FLOAT);
    to.set_f(static_cast<float>(unpack_double(value)));
  } else if (PyLong_Check(value)) {
    to.set_type(proto::AttributeProto::INT);
    to.set_i(unpack_long(value));
  } else if (PyTuple_Check(value)) {
    to.set_type(proto::AttributeProto::TENSOR);
    write_tensor(value, *to.mutable_t());
  } else {
    write_list(value, to);
  }
}

void write_node(PyObject* node, proto::NodeProto& to) {
  to.set_op_type(text(item(node, 0, 5)));
  to.set_name(text(item(node, 1, 5)));
  each(item(node, 2, 5), [&](PyObject* name) { to.add_input(text(name)); });
  each(item(node, 3, 5), [&](PyObject* name) { to.add_output(text(name)); });
  const THPObjectPtr attributes(checked(PyMapping_Items(item(node, 4, 5))));
  each(attributes.get(), [&](PyObject* pair) {
    auto* attribute = to.add_attribute();
    attribute->set_name(text(item(pair, 0, 2)));
    write_attribute(item(pair, 1, 2), *attribute);
  });
}

PyObject* serialize_model(PyObject*, PyObject* model) {
  HANDLE_TH_ERRORS
  proto::ModelProto to;
  to.set_ir_version(unpack_long(entry(model, "ir_version")));
  to.set_producer_name(text(entry(model, "producer")));
  to.add_opset_import()->set_version(unpack_long(entry(model, "opset")));
  PyObject* from = entry(model, "graph");
  auto* graph = to.mutable_graph();
  graph->set_name(text(entry(from, "name")));
  each(entry(from, "nodes"), [&](PyObject* node) { write_node(node, *graph->add_node()); });
  each(entry(from, "initializers"), [&](PyObject* tensor) {
    write_tensor(tensor, *graph->add_initializer());
  });
  each(entry(from, "inputs"), [&](PyObject* value) { write_value(value, *graph->add_input()); });
  each(entry(from, "outputs"), [&](PyObject* value) { write_value(value, *graph->add_output()); });
  std::string bytes;
  TORCH_CHECK(to.SerializeToString(&bytes), "the model is too large for one protocol buffer");
  return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
  END_HANDLE_TH_ERRORS
}

// ---- to Python

PyObject* made(const std::string& value) {
  return checked(
      PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), nullptr));
}
PyObject* made(int64_t value) {
  return checked(PyLong_FromLongLong(value));
}
PyObject* made(float value) {
  return checked(PyFloat_FromDouble(value));
}

PyObject* made(const proto::TensorProto& tensor);
PyObject* made(const proto::ValueInfoProto& value);
PyObject* made(const proto::NodeProto& node);

template <typename Values>
PyObject* made_list(const Values& values) {
  THPObjectPtr list(checked(PyList_New(0)));
  for (const auto& value : values) {
    const THPObjectPtr object(made(value));
    checked(PyList_Append(list.get(), object.get()));
  }
  return list.release();
}

PyObject* made(const proto::TensorProto& tensor) {
  const int elements = tensor.float_data_size() + tensor.double_data_size() +
      tensor.int32_data_size() + tensor.int64_data_size() + tensor.string_data_size();
  TORCH_CHECK(elements == 0, "the elements of the tensor ", tensor.name(), " are not in raw_data");
  return checked(Py_BuildValue(
      "(N,i,N,y#)", made(tensor.name()), static_cast<int>(tensor.data_type()),
      made_list(tensor.dims()), tensor.raw_data().data(),
      static_cast<Py_ssize_t>(tensor.raw_data().size())));
}

PyObject* made(const proto::ValueInfoProto& value) {
  const auto& type = value.type().tensor_type();
  THPObjectPtr sizes(checked(PyList_New(0)));
  for (const auto& dim : type.shape().dim()) {
    const THPObjectPtr size(dim.has_dim_param() ? made(dim.dim_param()) : made(dim.dim_value()));
    checked(PyList_Append(sizes.get(), size.get()));
  }
  return checked(Py_BuildValue(
      "(N,i,N)", made(value.name()), static_cast<int>(type.elem_type()), sizes.release()));
}

PyObject* made_attribute(const proto::AttributeProto& attribute) {
  switch (attribute.type()) {
    case proto::AttributeProto::FLOAT:
      return made(attribute.f());
    case proto::AttributeProto::INT:
      return made(static_cast<int64_t>(attribute.i()));
    case proto::AttributeProto::STRING:
      return made(attribute.s());
    case proto::AttributeProto::TENSOR:
      return made(attribute.t());
    case proto::AttributeProto::FLOATS:
      return made_list(attribute.floats());
    case proto::AttributeProto::INTS:
      return made_list(attribute.ints());
    case proto::AttributeProto::STRINGS:
      return made_list(attribute.strings());
    default:
      TORCH_CHECK(
          false, "the attribute ", attribute.name(),
          " has a type that is not read: ", static_cast<int>(attribute.type()));
  }
}

PyObject* made(const proto::NodeProto& node) {
  THPObjectPtr attributes(checked(PyDict_New()));
  for (const auto& attribute : node.attribute()) {
    const THPObjectPtr value(made_attribute(attribute));
    checked(PyDict_SetItemString(attributes.get(), attribute.name().c_str(), value.get()));
  }
  return checked(Py_BuildValue(
      "(NNNNN)", made(node.op_type()), made(node.name()), made_list(node.input()),
      made_list(node.output()), attributes.release()));
}

PyObject* parse_model(PyObject*, PyObject* bytes) {
  HANDLE_TH_ERRORS
  char* data = nullptr;
  Py_ssize_t size = 0;
  checked(PyBytes_AsStringAndSize(bytes, &data, &size));
  proto::ModelProto model;
  TORCH_CHECK_VALUE(
      size <= INT_MAX && model.ParseFromArray(data, static_cast<int>(size)) && model.has_graph(),
      "these ", size, " bytes are not a model of ONNX");
  int64_t opset = 0;
  for (const auto& set : model.opset_import()) {
    if (set.domain().empty()) opset = set.version();
  }
  const auto& graph = model.graph();
  return checked(Py_BuildValue(
      "{s:L,s:L,s:N,s:{s:N,s:N,s:N,s:N,s:N}}", "ir_version",
      static_cast<long long>(model.ir_version()), "opset", static_cast<long long>(opset),
      "producer", made(model.producer_name()), "graph", "name", made(graph.name()), "nodes",
      made_list(graph.node()), "initializers", made_list(graph.initializer()), "inputs",
      made_list(graph.input()), "outputs", made_list(graph.output())));
  END_HANDLE_TH_ERRORS
}

PyMethodDef functions[] = {
    {"_serialize_model", serialize_model, METH_O, nullptr},
    {"_parse_model", parse_model, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

PyMethodDef* model_functions() {
  return functions;
}

} // namespace torch::onnx
