// Tensor.to and the other methods that convert a tensor to a dtype or move it to a device.
#include <ATen/ops/to_ops.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/MemoryFormat.h>
#include <torch/csrc/autograd/python_method_tables.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/python_arg_parser.h>

namespace torch::autograd {
namespace {

#define ARGUMENTS PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames

constexpr uint8_t kKeyword = kHasDefault | kAllowNone | kKeywordOnly;

PyObject* convert(
    PyObject* self, std::optional<at::ScalarType> dtype, std::optional<c10::Device> device,
    bool non_blocking, bool copy, std::optional<c10::MemoryFormat> format) {
  const at::Tensor& tensor = THPVariable_Unpack(self);
  const bool same = (!dtype || *dtype == tensor.scalar_type()) &&
      (!device || *device == tensor.device()) &&
      (!format || *format == c10::MemoryFormat::Preserve ||
       tensor.suggest_memory_format() == *format);
  if (same && !copy) return Py_NewRef(self);
  ReleaseGil gil(tensor);
  at::Tensor result = at::_ops::to_dtype_layout::call(
      tensor, dtype.value_or(tensor.scalar_type()), std::nullopt, device.value_or(tensor.device()),
      std::nullopt, non_blocking, copy, format);
  gil.acquire();
  return wrap(std::move(result));
}

// to(dtype), to(device, dtype) and to(tensor), each with non_blocking, copy and memory_format. A
// number stands for a tensor of its dtype, but an int for a device.
PyObject* to(ARGUMENTS) {
  HANDLE_TH_ERRORS
#define TAIL                                                  \
  {"non_blocking", ParameterType::Bool, kHasDefault, 0},      \
      {"copy", ParameterType::Bool, kHasDefault, 0}, {        \
    "memory_format", ParameterType::MemoryFormat, kKeyword, 0 \
  }
  static constexpr Parameter by_device[] = {
      {"device", ParameterType::Device, kHasDefault | kAllowNone, 0},
      {"dtype", ParameterType::ScalarType, kHasDefault | kAllowNone, 0},
      TAIL};
  static constexpr Parameter by_dtype[] = {
      {"dtype", ParameterType::ScalarType, kRequired, 0}, TAIL};
  static constexpr Parameter by_tensor[] = {{"tensor", ParameterType::Tensor, kRequired, 0}, TAIL};
#undef TAIL
  static constexpr Signature signatures[] = {
      {"(torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool "
       "copy = "
       "False, *, torch.memory_format memory_format = None)",
       by_device, 5, 4, false},
      {"(torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format "
       "memory_format = None)",
       by_dtype, 4, 3, false},
      {"(Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format "
       "memory_format = None)",
       by_tensor, 4, 3, false}};
  static constexpr PythonArgParser parser("to", signatures, 3, kMethod | kNumbersAsTensors);
  ParsedArgs<5> r;
  switch (parser.parse(r, self, args, nargs, kwnames)) {
    case 0:
      return convert(
          self, r.optional_dtype(1), r.optional_device(0), r.boolean(2, false), r.boolean(3, false),
          r.optional_memory_format(4));
    case 1:
      return convert(
          self, r.dtype(0), std::nullopt, r.boolean(1, false), r.boolean(2, false),
          r.optional_memory_format(3));
    case 2: {
      at::Tensor number;
      const at::Tensor& like = r.tensor_or_number(0, number);
      return convert(
          self, like.scalar_type(), like.device(), r.boolean(1, false), r.boolean(2, false),
          r.optional_memory_format(3));
    }
    default:
      return parser.call_override(self, args, nargs, kwnames);
  }
  END_HANDLE_TH_ERRORS
}

// float(), long() and similar conversions.
template <at::ScalarType type>
PyObject* to_dtype(ARGUMENTS) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"memory_format", ParameterType::MemoryFormat, kKeyword, 0}};
  static constexpr Signature signatures[] = {
      {"(*, torch.memory_format memory_format = None)", parameters, 1, 0, false}};
  static constexpr PythonArgParser parser("to", signatures, 1, kMethod);
  ParsedArgs<1> r;
  if (parser.parse(r, self, args, nargs, kwnames) == kOverridden) {
    PyObject* arguments[] = {THPDtype_Get(type)};
    return parser.call_override(self, arguments, 1, nullptr);
  }
  return convert(self, type, std::nullopt, false, false, r.optional_memory_format(0));
  END_HANDLE_TH_ERRORS
}

template <c10::DeviceType type>
PyObject* to_device(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return convert(self, std::nullopt, c10::Device(type), false, false, std::nullopt);
  END_HANDLE_TH_ERRORS
}

#define KEYWORDS METH_FASTCALL | METH_KEYWORDS
#define CONVERSION(name, type, dtype)                                                         \
  {                                                                                           \
    name, method(to_dtype<at::ScalarType::type>), KEYWORDS,                                   \
        name                                                                                  \
        "(*, memory_format=None) -> Tensor\n\n"                                               \
        "Convert the tensor to torch." dtype "; a tensor of that dtype is returned as it is." \
  }

} // namespace

PyMethodDef conversion_methods[] = {
    {"to", method(to), KEYWORDS,
     "to(dtype, non_blocking=False, copy=False, *, memory_format=None) -> Tensor\n"
     "to(device=None, dtype=None, non_blocking=False, copy=False, *, memory_format=None) -> "
     "Tensor\n"
     "to(tensor, non_blocking=False, copy=False, *, memory_format=None) -> Tensor\n"
     "\n"
     "Convert the tensor to a dtype, to a device, or to those of another tensor.\n"
     "\n"
     "Args:\n"
     "    dtype: The new dtype; by default that of the tensor.\n"
     "    device: The new device; by default that of the tensor.\n"
     "    tensor: A tensor whose dtype and device to take, or a number for its dtype.\n"
     "    non_blocking: Whether a copy between host and device may continue after the call.\n"
     "    copy: Whether to copy even if nothing changes; otherwise the tensor itself is returned.\n"
     "    memory_format: The order of the dimensions in memory; by default it is preserved.\n"
     "\n"
     "Example:\n"
     "    >>> torch.tensor([1.5, 2.0]).to(torch.int64)\n"
     "    tensor([1, 2])"},
    CONVERSION("float", Float, "float32"),
    CONVERSION("double", Double, "float64"),
    CONVERSION("half", Half, "float16"),
    CONVERSION("bfloat16", BFloat16, "bfloat16"),
    CONVERSION("long", Long, "int64"),
    CONVERSION("int", Int, "int32"),
    CONVERSION("short", Short, "int16"),
    CONVERSION("char", Char, "int8"),
    CONVERSION("byte", Byte, "uint8"),
    CONVERSION("bool", Bool, "bool"),
    CONVERSION("cfloat", ComplexFloat, "complex64"),
    CONVERSION("cdouble", ComplexDouble, "complex128"),
    {"cpu", to_device<c10::DeviceType::CPU>, METH_NOARGS,
     "cpu() -> Tensor\n"
     "\n"
     "Copy the tensor to the CPU's memory; a tensor that is there is returned as it is."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::autograd
