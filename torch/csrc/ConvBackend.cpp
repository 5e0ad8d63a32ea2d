#include <torch/csrc/ConvBackend.h>

#include <ATen/native/ConvUtils.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>

#include <array>
#include <utility>

namespace {

using at::native::ConvBackend;
using torch::ParameterType;

constexpr std::array kBackends = {
    std::pair("CudaDepthwise2d", ConvBackend::CudaDepthwise2d),
    std::pair("CudaDepthwise3d", ConvBackend::CudaDepthwise3d),
    std::pair("Cudnn", ConvBackend::Cudnn),
    std::pair("CudnnTranspose", ConvBackend::CudnnTranspose),
    std::pair("Empty", ConvBackend::Empty),
    std::pair("Miopen", ConvBackend::Miopen),
    std::pair("MiopenDepthwise", ConvBackend::MiopenDepthwise),
    std::pair("MiopenTranspose", ConvBackend::MiopenTranspose),
    std::pair("Mkldnn", ConvBackend::Mkldnn),
    std::pair("MkldnnTranspose", ConvBackend::MkldnnTranspose),
    std::pair("MkldnnEmpty", ConvBackend::MkldnnEmpty),
    std::pair("NnpackSpatial", ConvBackend::NnpackSpatial),
    std::pair("Overrideable", ConvBackend::Overrideable),
    std::pair("Slow2d", ConvBackend::Slow2d),
    std::pair("Slow3d", ConvBackend::Slow3d),
    std::pair("SlowDilated2d", ConvBackend::SlowDilated2d),
    std::pair("SlowDilated3d", ConvBackend::SlowDilated3d),
    std::pair("SlowTranspose2d", ConvBackend::SlowTranspose2d),
    std::pair("SlowTranspose3d", ConvBackend::SlowTranspose3d),
    std::pair("Winograd3x3Depthwise", ConvBackend::Winograd3x3Depthwise),
    std::pair("Xnnpack2d", ConvBackend::Xnnpack2d),
    std::pair("Mps", ConvBackend::Mps),
    std::pair("MpsTranspose", ConvBackend::MpsTranspose),
};

PyObject* enumeration = nullptr; // a class of Python's enum module, owned by torch._C

// enum.Enum("_ConvBackend", {name: number}, module="torch._C")
PyObject* make_enumeration() {
  THPObjectPtr members(PyDict_New());
  if (!members) return nullptr;
  for (const auto& [name, backend] : kBackends) {
    THPObjectPtr number(PyLong_FromLong(static_cast<long>(backend)));
    if (!number || PyDict_SetItemString(members.get(), name, number.get()) != 0) return nullptr;
  }
  THPObjectPtr module(PyImport_ImportModule("enum"));
  THPObjectPtr base(module ? PyObject_GetAttrString(module.get(), "Enum") : nullptr);
  THPObjectPtr args(Py_BuildValue("(sO)", "_ConvBackend", members.get()));
  THPObjectPtr kwargs(Py_BuildValue("{ss}", "module", "torch._C"));
  return base && args && kwargs ? PyObject_Call(base.get(), args.get(), kwargs.get()) : nullptr;
}

PyObject* select_conv_backend(
    PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  static constexpr torch::Parameter parameters[] = {
      {"input", ParameterType::Tensor, torch::kRequired, 0},
      {"weight", ParameterType::Tensor, torch::kRequired, 0},
      {"bias", ParameterType::Tensor, torch::kAllowNone, 0},
      {"stride", ParameterType::IntList, torch::kRequired, 0},
      {"padding", ParameterType::IntList, torch::kRequired, 0},
      {"dilation", ParameterType::IntList, torch::kRequired, 0},
      {"transposed", ParameterType::Bool, torch::kRequired, 0},
      {"output_padding", ParameterType::IntList, torch::kRequired, 0},
      {"groups", ParameterType::Int, torch::kRequired, 0},
      {"bias_sizes", ParameterType::IntList, torch::kHasDefault | torch::kAllowNone, 0}};
  static constexpr torch::Signature signatures[] = {
      {"(Tensor input, Tensor weight, Tensor bias, IntArrayRef stride, IntArrayRef padding, "
       "IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups, "
       "IntArrayRef bias_sizes = None)",
       parameters, 10, 10, false}};
  static constexpr torch::PythonArgParser parser(
      "_select_conv_backend", signatures, 1, torch::kPlain);
  torch::ParsedArgs<10> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  const auto stride = r.int_list(3), padding = r.int_list(4), dilation = r.int_list(5);
  const auto output_padding = r.int_list(7);
  const ConvBackend backend = at::native::select_conv_backend(
      r.tensor(0), r.tensor(1), r.optional_tensor(2), stride, padding, dilation, r.boolean(6),
      output_padding, r.integer(8));
  return PyObject_CallFunction(enumeration, "i", static_cast<int>(backend));
  END_HANDLE_TH_ERRORS
}

PyMethodDef method = {
    "_select_conv_backend",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(select_conv_backend)),
    METH_FASTCALL | METH_KEYWORDS,
    "The _ConvBackend that computes a convolution with these arguments."};

} // namespace

bool THPConvBackend_init(PyObject* module) {
  enumeration = make_enumeration();
  if (enumeration == nullptr || PyModule_AddObject(module, "_ConvBackend", enumeration) != 0) {
    return false;
  }
  THPObjectPtr function(PyCFunction_New(&method, nullptr));
  return function && PyModule_AddObjectRef(module, "_select_conv_backend", function.get()) == 0;
}
