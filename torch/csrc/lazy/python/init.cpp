#include <torch/csrc/lazy/python/init.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/lazy/backend/aten_backend.h>
#include <torch/csrc/lazy/core/executor.h>
#include <torch/csrc/lazy/core/graph.h>
#include <torch/csrc/lazy/core/metrics.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

#include <array>
#include <string>
#include <vector>

namespace torch::lazy {

namespace {

const at::Tensor& unpack_tensor(PyObject* object) {
  if (!THPVariable_Check(object)) {
    throw_python(PyExc_TypeError, "expected a tensor, not %s", Py_TYPE(object)->tp_name);
  }
  return THPVariable_Unpack(object);
}

std::vector<at::Tensor> unpack_tensors(PyObject* list) {
  const THPObjectPtr items(checked(PySequence_Fast(list, "expected a list of tensors")));
  std::vector<at::Tensor> tensors;
  tensors.reserve(static_cast<size_t>(PySequence_Fast_GET_SIZE(items.get())));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    tensors.push_back(unpack_tensor(PySequence_Fast_GET_ITEM(items.get(), i)));
  }
  return tensors;
}

PyObject* pack_text(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

// Raises if there is no such device.
void check_device(PyObject* device) {
  const char* const name = PyUnicode_AsUTF8(device);
  if (!name) throw_python_error();
  TORCH_CHECK(
      std::string(name).empty() || c10::Device(name).type() == c10::DeviceType::Lazy,
      "expected the lazy device, not ", name);
}

PyObject* mark_step(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *device = nullptr, *devices = nullptr;
  int wait = 0;
  if (!PyArg_ParseTuple(args, "UOp:_mark_step", &device, &devices, &wait)) return nullptr;
  check_device(device);
  {
    const WithoutGil guard;
    LazyGraphExecutor::get().mark_step();
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

// Computations are done when the call that starts them returns.
PyObject* wait_device_ops(PyObject*, PyObject*) {
  Py_RETURN_NONE;
}

PyObject* sync_multi(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *list = nullptr, *devices = nullptr;
  int wait = 1, sync_data = 1;
  if (!PyArg_ParseTuple(args, "OO|pp:_sync_multi", &list, &devices, &wait, &sync_data)) {
    return nullptr;
  }
  const std::vector<at::Tensor> tensors = unpack_tensors(list);
  {
    const WithoutGil guard;
    LazyGraphExecutor::get().sync(tensors);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_tensor_id(PyObject*, PyObject* tensor) {
  HANDLE_TH_ERRORS
  return PyLong_FromLongLong(data_of(unpack_tensor(tensor)).id());
  END_HANDLE_TH_ERRORS
}

PyObject* get_tensors_text(PyObject*, PyObject* tensors) {
  HANDLE_TH_ERRORS
  return pack_text(graph_text(LazyGraphExecutor::get().graph_of(unpack_tensors(tensors))));
  END_HANDLE_TH_ERRORS
}

PyObject* get_tensors_dot(PyObject*, PyObject* tensors) {
  HANDLE_TH_ERRORS
  return pack_text(graph_dot(LazyGraphExecutor::get().graph_of(unpack_tensors(tensors))));
  END_HANDLE_TH_ERRORS
}

PyObject* get_graph_hash(PyObject*, PyObject* tensors) {
  HANDLE_TH_ERRORS
  const Hash hash = LazyGraphExecutor::get().graph_of(unpack_tensors(tensors)).hash;
  const std::array<uint64_t, 2> words{hash.low(), hash.high()};
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(words.data()), sizeof(words));
  END_HANDLE_TH_ERRORS
}

PyObject* get_default_device_type(PyObject*, PyObject*) {
  return PyUnicode_FromString("CPU");
}

PyObject* clear_ir_cache(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  LazyGraphExecutor::get().clear_cache();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* names_of_counters(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const std::vector<std::string> names = counter_names();
  THPObjectPtr list(checked(PyList_New(static_cast<Py_ssize_t>(names.size()))));
  for (size_t i = 0; i < names.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), checked(pack_text(names[i])));
  }
  return list.release();
  END_HANDLE_TH_ERRORS
}

PyObject* value_of_counter(PyObject*, PyObject* name) {
  HANDLE_TH_ERRORS
  const char* const text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  const std::optional<int64_t> value = counter_value(text);
  if (!value) Py_RETURN_NONE;
  return PyLong_FromLongLong(*value);
  END_HANDLE_TH_ERRORS
}

PyObject* report_metrics(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return pack_text(metrics_report());
  END_HANDLE_TH_ERRORS
}

PyObject* clear_metrics(PyObject*, PyObject*) {
  reset_metrics();
  Py_RETURN_NONE;
}

PyObject* init_backend(PyObject*, PyObject*) {
  init_aten_backend();
  Py_RETURN_NONE;
}

PyMethodDef lazy_methods[] = {
    {"_mark_step", mark_step, METH_VARARGS, nullptr},
    {"_wait_device_ops", wait_device_ops, METH_O, nullptr},
    {"_sync_multi", sync_multi, METH_VARARGS, nullptr},
    {"_get_tensor_id", get_tensor_id, METH_O, nullptr},
    {"_get_tensors_text", get_tensors_text, METH_O, nullptr},
    {"_get_tensors_dot", get_tensors_dot, METH_O, nullptr},
    {"_get_graph_hash", get_graph_hash, METH_O, nullptr},
    {"_get_default_device_type", get_default_device_type, METH_NOARGS, nullptr},
    {"_clear_ir_cache", clear_ir_cache, METH_NOARGS, nullptr},
    {"_counter_names", names_of_counters, METH_NOARGS, nullptr},
    {"_counter_value", value_of_counter, METH_O, nullptr},
    {"_metrics_report", report_metrics, METH_NOARGS, nullptr},
    {"_reset_metrics", clear_metrics, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef backend_methods[] = {
    {"_init", init_backend, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition(const char* name, PyMethodDef* methods) {
  PyModuleDef module{};
  module.m_base = PyModuleDef_HEAD_INIT;
  module.m_name = name;
  module.m_size = -1;
  module.m_methods = methods;
  return module;
}

} // namespace

bool initLazyBindings(PyObject* module) {
  static PyModuleDef lazy = definition("torch._C._lazy", lazy_methods);
  static PyModuleDef backend = definition("torch._C._lazy_ts_backend", backend_methods);
  const THPObjectPtr lazy_module(PyModule_Create(&lazy));
  const THPObjectPtr backend_module(PyModule_Create(&backend));
  return lazy_module && backend_module &&
      PyModule_AddObjectRef(module, "_lazy", lazy_module.get()) == 0 &&
      PyModule_AddObjectRef(module, "_lazy_ts_backend", backend_module.get()) == 0;
}

} // namespace torch::lazy
