#include <torch/csrc/autograd/python_anomaly_mode.h>

#include <c10/util/Exception.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch::autograd {
namespace {

constexpr const char* kTraceback = "traceback_";
constexpr const char* kParent = "parent_";

THPObjectPtr formatted_stack() {
  const THPObjectPtr module(checked(PyImport_ImportModule("traceback")));
  const THPObjectPtr lines(checked(PyObject_CallMethod(module.get(), "format_stack", nullptr)));
  const THPObjectPtr nothing(checked(PyUnicode_FromString("")));
  return THPObjectPtr(checked(PyUnicode_Join(nothing.get(), lines.get())));
}

std::string text(PyObject* unicode) {
  const char* utf8 = PyUnicode_AsUTF8(unicode);
  if (!utf8) throw_python_error();
  return utf8;
}

void warn_about(PyObject* metadata, const std::string& node) {
  PyObject* stack = PyDict_GetItemString(metadata, kTraceback);
  if (stack) {
    TORCH_WARN(
        "Error detected in ", node, ". Traceback of forward call that caused the error:\n",
        text(stack));
  } else {
    TORCH_WARN(
        "Error detected in ", node,
        ". No forward pass information available. Enable detect "
        "anomaly during forward pass for more information.");
  }
}

} // namespace

PyAnomalyMetadata::PyAnomalyMetadata() : dict_(with_gil([] { return checked(PyDict_New()); })) {}

PyAnomalyMetadata::~PyAnomalyMetadata() {
  drop_with_gil(dict_);
}

void PyAnomalyMetadata::store_stack() {
  with_gil([&] { checked(PyDict_SetItemString(dict_, kTraceback, formatted_stack().get())); });
}

void PyAnomalyMetadata::assign_parent(const c10::intrusive_ptr<Node>& parent_node) {
  if (!parent_node) return;
  with_gil([&] {
    const THPObjectPtr parent(functionToPyObject(parent_node));
    checked(PyDict_SetItemString(dict_, kParent, parent.get()));
  });
}

// Follows the chain from the failed node to the node whose evaluation created it, and so on.
void PyAnomalyMetadata::print_stack(const std::string& current_node_name) {
  with_gil([&] {
    python_error raised; // a warning is Python code, which must not see the error of the node
    raised.persist();
    warn_about(dict_, current_node_name);
    THPObjectPtr node(Py_XNewRef(PyDict_GetItemString(dict_, kParent)));
    while (node && node.get() != Py_None) {
      const THPObjectPtr name(checked(PyObject_CallMethod(node.get(), "name", nullptr)));
      const THPObjectPtr metadata(checked(PyObject_GetAttrString(node.get(), "metadata")));
      PyObject* stack = PyDict_GetItemString(metadata.get(), kTraceback);
      TORCH_WARN(
          "\n\nPrevious calculation was induced by ", text(name.get()),
          ". Traceback of forward call that induced the previous calculation:\n",
          stack ? text(stack) : std::string("(not recorded)"));
      node = Py_XNewRef(PyDict_GetItemString(metadata.get(), kParent));
    }
    raised.restore();
  });
}

} // namespace torch::autograd
