#include <torch/csrc/utils/operator_recorder.h>

#include <ATen/core/ATenOpList.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/library.h>

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace torch {

namespace {

using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::IValue;
using c10::ScalarType;

// A key without kernels of its own, above the keys of data, autograd and tracing. While a thread
// includes it, each of its calls goes through the fallback below, those from C++ as well.
constexpr DispatchKey kKey = DispatchKey::TESTING_ONLY_GenericMode;

struct Record {
  std::set<ScalarType> dtypes;
  bool training = false;
};

struct Recorder {
  std::mutex mutex;
  std::map<std::string, Record> records;
  std::optional<Library> fallback;
};

Recorder& recorder() {
  static auto* instance = new Recorder;
  return *instance;
}

void add(Record& record, const IValue& value) {
  const auto add_tensor = [&](const at::Tensor& tensor) {
    if (tensor.defined()) record.dtypes.insert(tensor.scalar_type());
  };
  if (value.isTensor()) {
    add_tensor(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorList())
      add_tensor(tensor);
  } else if (value.isGenericList()) {
    for (const IValue& element : value.toGenericList())
      add(record, element);
  }
}

bool is_recorded_for_backward(const IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() && value.toTensor().requires_grad();
  if (!value.isTensorList()) return false;
  for (const at::Tensor& tensor : value.toTensorList())
    if (tensor.defined() && tensor.requires_grad()) return true;
  return false;
}

void record(const c10::OperatorHandle& op, DispatchKeySet keys, jit::Stack* stack) {
  Record seen;
  const bool grad_mode = c10::GradMode::is_enabled();
  const auto& schema = op.schema();
  for (size_t i = stack->size() - schema.arguments().size(); i < stack->size(); ++i)
    add(seen, (*stack)[i]);
  op.redispatchBoxed(keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, kKey), stack);
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); ++i) {
    add(seen, (*stack)[i]);
    seen.training = seen.training || (grad_mode && is_recorded_for_backward((*stack)[i]));
  }
  const std::lock_guard<std::mutex> lock(recorder().mutex);
  Record& known = recorder().records[toString(op.operator_name())];
  known.dtypes.merge(seen.dtypes);
  known.training = known.training || seen.training;
}

PyObject* start(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(!recorder().fallback, "operators are being recorded already");
  recorder().records.clear();
  recorder().fallback.emplace(Library::IMPL, "_", kKey, __FILE__, __LINE__);
  recorder().fallback->fallback(CppFunction::makeFromBoxedFunction<&record>());
  c10::impl::tls_set_dispatch_key_included(kKey, true);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* stop(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(recorder().fallback, "operators are not being recorded");
  c10::impl::tls_set_dispatch_key_included(kKey, false);
  recorder().fallback.reset();
  const std::lock_guard<std::mutex> lock(recorder().mutex);
  THPObjectPtr found(PyDict_New());
  if (!found) return nullptr;
  for (const auto& [name, seen] : recorder().records) {
    THPObjectPtr dtypes(PyList_New(0));
    if (!dtypes) return nullptr;
    for (const ScalarType dtype : seen.dtypes) {
      THPObjectPtr text(PyUnicode_FromString(c10::toString(dtype)));
      if (!text || PyList_Append(dtypes.get(), text.get()) < 0) return nullptr;
    }
    THPObjectPtr row(Py_BuildValue("(OO)", dtypes.get(), seen.training ? Py_True : Py_False));
    if (!row || PyDict_SetItemString(found.get(), name.c_str(), row.get()) < 0) return nullptr;
  }
  return found.release();
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef recorder_methods[] = {
    {"_start_recording_operators", start, METH_NOARGS, nullptr},
    {"_stop_recording_operators", stop, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

namespace autograd {

PyObject* raise_left_out(const char* name) {
  PyErr_SetString(
      PyExc_NotImplementedError, at::left_out_message(std::string("aten::") + name).c_str());
  return nullptr;
}

} // namespace autograd
} // namespace torch
