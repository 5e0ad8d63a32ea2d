#pragma once
// The arguments of a generated binding: constant tables describe its overloads; parse() picks the
// first one that fits and stores borrowed pointers in slots; typed accessors convert them. The
// success path allocates nothing; error messages are in python_arg_errors.cpp.
#include <torch/csrc/python_headers.h>

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Tensor.h>

#include <array>
#include <optional>
#include <string_view>

namespace at {
struct Generator;
}
namespace c10 {
struct Storage;
}

namespace torch {

enum class ParameterType : uint8_t {
  Tensor,
  Scalar,
  Number, // a Scalar that is not a tensor
  Int,
  SymInt, // an Int that may also be a tensor of one element with dimensions
  Double,
  Bool,
  String,
  IntList,
  DoubleList,
  BoolList,
  ScalarList,
  TensorList,
  OptionalTensorList,
  ScalarType,
  Layout,
  Device,
  MemoryFormat,
  Generator,
  Storage,
  Object, // any object
};

enum ParameterFlags : uint8_t { kRequired = 0, kHasDefault = 1, kAllowNone = 2, kKeywordOnly = 4 };

struct Parameter {
  std::string_view name;
  ParameterType type;
  uint8_t flags;
  uint8_t size; // N of int[N]: a single int is repeated N times

  constexpr bool has_default() const { return flags & kHasDefault; }
  constexpr bool allows_none() const { return flags & kAllowNone; }
};

struct Signature {
  const char* text; // as printed in error messages
  const Parameter* parameters;
  uint8_t count;
  uint8_t positional;
  bool hidden; // accepted, but never shown
};

enum ParserFlags : uint8_t { kPlain = 0, kNumbersAsTensors = 1, kMethod = 2, kNnModule = 4 };

inline constexpr int kOverridden = -1;

// Slots hold borrowed references; nullptr means "not given".
class PythonArgs {
 public:
  bool has(int i) const { return slots_[i] && slots_[i] != Py_None; }
  bool given(int i) const { return slots_[i]; }
  PyObject* object(int i) const { return slots_[i]; }
  // Warns, once per process, that the signature of this call is deprecated, and names its
  // replacement.
  void warn_deprecated() const;

  const at::Tensor& tensor(int i) const { return THPVariable_Unpack(slots_[i]); }
  at::Tensor& mutable_tensor(int i) const { return THPVariable_UnpackMutable(slots_[i]); }
  // `number` owns the tensor created for a Python number.
  const at::Tensor& tensor_or_number(int i, at::Tensor& number) const {
    return THPVariable_CheckExact(slots_[i]) ? tensor(i) : tensor_or_number_slow(i, number);
  }
  std::optional<at::Tensor> optional_tensor(int i) const {
    return has(i) ? std::optional<at::Tensor>(tensor(i)) : std::nullopt;
  }
  at::Scalar scalar(int i) const;
  at::Scalar scalar(int i, const at::Scalar& fallback) const {
    return given(i) ? scalar(i) : fallback;
  }
  std::optional<at::Scalar> optional_scalar(int i) const;
  int64_t integer(int i) const;
  int64_t integer(int i, int64_t fallback) const { return given(i) ? integer(i) : fallback; }
  std::optional<int64_t> optional_integer(int i) const;
  double real(int i) const;
  double real(int i, double fallback) const { return given(i) ? real(i) : fallback; }
  std::optional<double> optional_real(int i) const;
  bool boolean(int i) const;
  bool boolean(int i, bool fallback) const { return given(i) ? boolean(i) : fallback; }
  std::optional<bool> optional_boolean(int i) const;
  std::string_view string(int i) const;
  std::string_view string(int i, std::string_view fallback) const {
    return given(i) ? string(i) : fallback;
  }
  std::optional<std::string_view> optional_string(int i) const;

  using IntList = c10::SmallVector<int64_t, 6>;
  IntList int_list(int i) const;
  IntList int_list(int i, std::initializer_list<int64_t> fallback) const {
    return given(i) ? int_list(i) : IntList(fallback);
  }
  std::optional<IntList> optional_int_list(int i) const;
  using TensorList = c10::SmallVector<at::Tensor, 4>;
  TensorList tensor_list(int i) const;
  c10::List<std::optional<at::Tensor>> optional_tensor_list(int i) const;
  // The tensors of out=(a, b); there must be n of them.
  TensorList out_list(int i, int n) const;
  std::optional<c10::SmallVector<double, 4>> optional_double_list(int i) const;
  c10::SmallVector<at::Scalar, 4> scalar_list(int i) const;
  template <size_t N>
  std::array<bool, N> bool_array(int i) const {
    std::array<bool, N> result{};
    fill_bools(i, result.data(), N);
    return result;
  }

  at::ScalarType dtype(int i) const;
  at::ScalarType dtype(int i, at::ScalarType fallback) const {
    return has(i) ? dtype(i) : fallback;
  }
  std::optional<at::ScalarType> optional_dtype(int i) const {
    return has(i) ? std::optional(dtype(i)) : std::nullopt;
  }
  c10::Layout layout(int i) const;
  std::optional<c10::Layout> optional_layout(int i) const {
    return has(i) ? std::optional(layout(i)) : std::nullopt;
  }
  c10::Device device(int i) const;
  std::optional<c10::Device> optional_device(int i) const {
    return has(i) ? std::optional(device(i)) : std::nullopt;
  }
  // The device of a factory function: the argument if given, else the default device.
  std::optional<c10::Device> factory_device(int i) const {
    return has(i) ? device(i) : default_device();
  }
  c10::MemoryFormat memory_format(int i) const;
  c10::MemoryFormat memory_format(int i, c10::MemoryFormat fallback) const {
    return has(i) ? memory_format(i) : fallback;
  }
  std::optional<c10::MemoryFormat> optional_memory_format(int i) const {
    return has(i) ? std::optional(memory_format(i)) : std::nullopt;
  }
  std::optional<at::Generator> optional_generator(int i) const;
  c10::Storage storage(int i) const;

  // Applies requires_grad= to the result of a factory.
  at::Tensor with_requires_grad(int i, at::Tensor tensor) const {
    if (slots_[i] && slots_[i] != Py_False) [[unlikely]]
      set_requires_grad(i, tensor);
    return tensor;
  }
  // out= fixes dtype, layout and device; a conflicting explicit one is an error. A factory has no
  // gradient to give it.
  void check_out(int out, int dtype, int layout, int device) const;

 protected:
  friend class PythonArgParser;
  explicit PythonArgs(PyObject** slots) : slots_(slots) {}

  void fill_bools(int i, bool* flags, size_t count) const;
  const at::Tensor& tensor_or_number_slow(int i, at::Tensor& number) const;
  void set_requires_grad(int i, const at::Tensor& tensor) const;
  const Parameter& parameter(int i) const { return signature_->parameters[i]; }
  const char* name() const;
  [[noreturn]] void throw_wrong_type(int i, const char* wanted) const;

  PyObject** slots_;
  const class PythonArgParser* parser_ = nullptr;
  const Signature* signature_ = nullptr;
  PyObject* const* args_ = nullptr;
  Py_ssize_t nargs_ = 0;
  bool varargs_ = false;    // slot 0 holds the positional arguments themselves: view(2, 3)
  bool overridden_ = false; // an argument has its own __torch_function__
};

template <int N>
class ParsedArgs : public PythonArgs {
 public:
  ParsedArgs() : PythonArgs(storage_) {}

 private:
  PyObject* storage_[N ? N : 1];
};

class PythonArgParser {
 public:
  constexpr PythonArgParser(const char* name, const Signature* signatures, int count, int flags)
      : name_(name), signatures_(signatures), count_(count), flags_(flags) {}

  // Returns the index of the first signature that fits, or kOverridden. Throws python_error if none
  // does. `self` is the receiver of a method, nullptr for a function.
  int parse(
      PythonArgs& result, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
      PyObject* kwnames) const;

  // Passes the call to the __torch_function__ of its arguments; returns a new reference or throws
  // python_error.
  PyObject* call_override(
      PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) const;

  const char* name() const { return name_; }
  bool is_method() const { return flags_ & kMethod; }

 private:
  friend class PythonArgs;
  friend class ArgErrors;
  bool matches(
      const Signature& signature, PythonArgs& result, PyObject* const* args, Py_ssize_t nargs,
      PyObject* kwnames) const;
  bool accepts(const Parameter& parameter, PyObject* object, PythonArgs& result) const;
  // Whether an object that no parameter accepts has a __torch_function__ of its own.
  bool is_overridden(PyObject* object, PythonArgs& result) const;
  [[noreturn]] void raise(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) const;

  const char* name_;
  const Signature* signatures_;
  int count_;
  int flags_;
};

// Converts an optional list in a local variable to the operator's argument.
inline at::OptionalIntArrayRef optional_array(const std::optional<PythonArgs::IntList>& list) {
  return list ? at::OptionalIntArrayRef(at::IntArrayRef(list->data(), list->size())) : std::nullopt;
}
inline std::optional<at::ArrayRef<double>> optional_array(
    const std::optional<c10::SmallVector<double, 4>>& list) {
  return list ? std::optional(at::ArrayRef<double>(list->data(), list->size())) : std::nullopt;
}

// For methods without parameters, which have no parser: the result of the receiver's
// __torch_function__, or nullptr if its type does not override calls.
PyObject* method_override(PyObject* self, const char* name);

// A binding in the form that method tables need.
inline PyCFunction method(
    PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// Releases the GIL for large amounts of work; small work keeps it.
class ReleaseGil {
 public:
  static constexpr int64_t kWorthReleasing = 32768;

  explicit ReleaseGil(int64_t elements) {
    if (elements >= kWorthReleasing) [[unlikely]]
      state_ = PyEval_SaveThread();
  }
  explicit ReleaseGil(const at::Tensor& tensor) : ReleaseGil(tensor.numel()) {}
  explicit ReleaseGil(const PythonArgs::TensorList& tensors) : ReleaseGil(total(tensors)) {}
  explicit ReleaseGil(const PythonArgs::IntList& sizes) : ReleaseGil(product(sizes)) {}
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;
  ~ReleaseGil() { acquire(); }

  void acquire() {
    if (state_) [[unlikely]] {
      PyEval_RestoreThread(state_);
      state_ = nullptr;
    }
  }

 private:
  static int64_t total(const PythonArgs::TensorList& tensors) {
    int64_t elements = 0;
    for (const at::Tensor& tensor : tensors)
      elements += tensor.numel();
    return elements;
  }
  // Saturates, because the operator rejects a size that overflows.
  static int64_t product(const PythonArgs::IntList& sizes) {
    int64_t elements = 1;
    for (const int64_t size : sizes) {
      if (size <= 0) return 0;
      if (size >= kWorthReleasing) return size;
      elements *= size;
      if (elements >= kWorthReleasing) return elements;
    }
    return elements;
  }
  PyThreadState* state_ = nullptr;
};

} // namespace torch
