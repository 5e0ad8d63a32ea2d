#include <torch/csrc/ConvBackend.h>

#include <ATen/native/ConvUtils.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_enumeration.h>

#include <array>

namespace {

using at::native::ConvBackend;
using torch::ParameterType;

constexpr torch::EnumerationMember member(const char* name, ConvBackend backend) {
  return {name, static_cast<int>(backend)};
}

constexpr std::array kBackends = {
    member("CudaDepthwise2d", ConvBackend::CudaDepthwise2d),
    member("CudaDepthwise3d", ConvBackend::CudaDepthwise3d),
    member("Cudnn", ConvBackend::Cudnn),
    member("CudnnTranspose", ConvBackend::CudnnTranspose),
    member("Empty", ConvBackend::Empty),
    member("Miopen", ConvBackend::Miopen),
    member("MiopenDepthwise", ConvBackend::MiopenDepthwise),
    member("MiopenTranspose", ConvBackend::MiopenTranspose),
    member("Mkldnn", ConvBackend::Mkldnn),
    member("MkldnnTranspose", ConvBackend::MkldnnTranspose),
    member("MkldnnEmpty", ConvBackend::MkldnnEmpty),
    member("NnpackSpatial", ConvBackend::NnpackSpatial),
    member("Overrideable", ConvBackend::Overrideable),
    member("Slow2d", ConvBackend::Slow2d),
    member("Slow3d", ConvBackend::Slow3d),
    member("SlowDilated2d", ConvBackend::SlowDilated2d),
    member("SlowDilated3d", ConvBackend::SlowDilated3d),
    member("SlowTranspose2d", ConvBackend::SlowTranspose2d),
    member("SlowTranspose3d", ConvBackend::SlowTranspose3d),
    member("Winograd3x3Depthwise", ConvBackend::Winograd3x3Depthwise),
    member("Xnnpack2d", ConvBackend::Xnnpack2d),
    member("Mps", ConvBackend::Mps),
    member("MpsTranspose", ConvBackend::MpsTranspose),
};

torch::Enumeration enumeration{"_ConvBackend", kBackends};

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
  return enumeration.member(static_cast<int>(backend));
  END_HANDLE_TH_ERRORS
}

PyMethodDef method = {
    "_select_conv_backend",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(select_conv_backend)),
    METH_FASTCALL | METH_KEYWORDS,
    "Return the _ConvBackend that computes a convolution with these arguments."};

} // namespace

bool THPConvBackend_init(PyObject* module) {
  if (!enumeration.add_to(module)) return false;
  THPObjectPtr function(PyCFunction_New(&method, nullptr));
  return function && PyModule_AddObjectRef(module, "_select_conv_backend", function.get()) == 0;
}
