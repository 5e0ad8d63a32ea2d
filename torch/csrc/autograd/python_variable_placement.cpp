// Methods on the memory that a tensor is in: copies to devices, pinned memory, other streams' use.
#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty_strided_ops.h>
#include <ATen/ops/to_ops.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/Stream.h>
#include <torch/csrc/autograd/python_method_tables.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_numbers.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>

namespace torch::autograd {
namespace {

#define ARGUMENTS PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

PyObject* to_cuda(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"device", ParameterType::Device, kHasDefault | kAllowNone, 0},
      {"non_blocking", ParameterType::Bool, kHasDefault, 0},
      {"memory_format", ParameterType::MemoryFormat, kHasDefault | kAllowNone | kKeywordOnly, 0}};
  static constexpr Signature signatures[] = {
      {"(torch.device device = None, bool non_blocking = False, *, torch.memory_format "
       "memory_format = None)",
       parameters, 3, 2, false}};
  static constexpr PythonArgParser parser("cuda", signatures, 1, kMethod);
  ParsedArgs<3> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  cuda::lazy_init();
  c10::Device device(c10::DeviceType::CUDA);
  if (r.has(0)) {
    device = is_int(r.object(0))
        ? c10::Device(
              c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(unpack_long(r.object(0))))
        : unpack_device(r.object(0));
  }
  TORCH_CHECK(device.is_cuda(), "Invalid device, must be cuda device");
  const at::Tensor& tensor = THPVariable_Unpack(self);
  if (tensor.device() == device && !r.has(2)) return Py_NewRef(self);
  ReleaseGil gil(tensor);
  at::Tensor result = at::_ops::to_dtype_layout::call(
      tensor, std::nullopt, std::nullopt, device, std::nullopt, r.boolean(1, false), false,
      r.optional_memory_format(2));
  gil.acquire();
  return wrap(std::move(result));
  END_HANDLE_TH_ERRORS
}

constexpr Parameter kDevice = {"device", ParameterType::Device, kHasDefault | kAllowNone, 0};

std::optional<c10::DeviceType> device_type(const PythonArgs& r, int i) {
  return r.has(i) ? std::optional(unpack_device(r.object(i)).type()) : std::nullopt;
}

bool is_pinned(const at::Tensor& tensor, std::optional<c10::DeviceType> type) {
  return tensor.device().is_cpu() && at::globalContext().isPinnedPtr(tensor.storage().data(), type);
}

PyObject* is_pinned_method(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {kDevice};
  static constexpr Signature signatures[] = {
      {"(torch.device device = None)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("is_pinned", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  return PyBool_FromLong(is_pinned(THPVariable_Unpack(self), device_type(r, 0)));
  END_HANDLE_TH_ERRORS
}

PyObject* pin_memory(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {kDevice};
  static constexpr Signature signatures[] = {
      {"(torch.device device = None)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("pin_memory", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    return parser.call_override(self, args, nargs, kwnames);
  }
  const at::Tensor& tensor = THPVariable_Unpack(self);
  TORCH_CHECK(
      tensor.device().is_cpu(), "cannot pin '", tensor.toString(),
      "' only dense CPU tensors can be pinned");
  const auto type = device_type(r, 0);
  if (!type) at::getAccelerator(/*checked=*/true);
  if (type.value_or(c10::DeviceType::CUDA) == c10::DeviceType::CUDA &&
      at::getAccelerator() == c10::DeviceType::CUDA) {
    cuda::lazy_init();
  }
  if (is_pinned(tensor, type)) return Py_NewRef(self);
  const at::Tensor pinned = at::_ops::empty_strided::call(
      tensor.sizes(), tensor.strides(), tensor.scalar_type(), at::kStrided, at::kCPU, true);
  return wrap(at::_ops::copy_::call(const_cast<at::Tensor&>(pinned), tensor, false));
  END_HANDLE_TH_ERRORS
}

PyObject* record_stream(PyObject* self, PyObject* stream) {
  HANDLE_TH_ERRORS
  if (!PyType_IsSubtype(Py_TYPE(stream), &THPStreamType)) {
    throw_python(
        PyExc_TypeError, "record_stream(): argument 's' (position 1) must be Stream, not %s",
        Py_TYPE(stream)->tp_name);
  }
  const c10::Stream& other = reinterpret_cast<THPStream*>(stream)->stream;
  c10::impl::getDeviceGuardImpl(other.device_type())
      ->recordDataPtrOnStream(THPVariable_Unpack(self).storage().data_ptr(), other);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

constexpr int kKeywords = METH_FASTCALL | METH_KEYWORDS;

} // namespace

PyMethodDef placement_methods[] = {
    {"cuda", method(to_cuda), kKeywords,
     "cuda(device=None, non_blocking=False) -> Tensor\n"
     "\n"
     "Copy the tensor to a CUDA device; a tensor that is there is returned as it is."},
    {"pin_memory", method(pin_memory), kKeywords,
     "pin_memory() -> Tensor\n"
     "\n"
     "Copy the tensor to page-locked memory; a tensor that is there is returned as it is."},
    {"is_pinned", method(is_pinned_method), kKeywords,
     "is_pinned() -> bool\n"
     "\n"
     "Return whether the tensor is in page-locked memory."},
    {"record_stream", record_stream, METH_O,
     "record_stream(stream) -> None\n"
     "\n"
     "Keep the memory until the work that a stream has now is done, even if the tensor dies "
     "before."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::autograd
