#pragma once
// Access to the elements of TH's tensors: inputs are read and outputs written in contiguous memory.
#include <TH/THTensor.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/macros/Macros.h>

#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace th {

using Owned = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

// Another reference to the tensor.
inline at::Tensor tensor(const c10::TensorImpl* borrowed) {
  return at::Tensor(Owned::reclaim_copy(const_cast<c10::TensorImpl*>(borrowed)));
}

// Runs kernels on the CPU. thc::Device runs the same kernels on CUDA devices: a kernel is a functor
// for the host and for devices, over a type with these members.
struct Host {
  static constexpr c10::DeviceType type = at::kCPU;

  // Calls kernel(i) for 0 <= i < count; another device does so in any order.
  template <typename Kernel>
  static void for_each(int64_t count, const Kernel& kernel) {
    for (int64_t i = 0; i < count; ++i) {
      kernel(i);
    }
  }

  // The others are called by kernels. A sum may be shared by the calls of a kernel.
  template <typename T>
  static void add(T* sum, T value) {
    *sum += value;
  }
  template <typename... Values>
  static void check(bool condition, const char* message, const Values&... values) {
    TORCH_CHECK(condition, message, values...);
  }
  static void check_index(int64_t index, int64_t size) {
    TORCH_CHECK_INDEX(
        index >= 0 && index < size, "index ", index, " is out of bounds for ", size, " elements");
  }
};

template <typename T, typename Device = Host>
T* checked_data(const c10::TensorImpl* self) {
  const at::Tensor checked = tensor(self);
  TORCH_CHECK(
      checked.device().type() == Device::type, "this kernel expects a tensor on the device type ",
      Device::type, ", but got one on ", checked.device());
  TORCH_CHECK(
      checked.scalar_type() == c10::CppTypeToScalarType<T>::value, "TH expects a tensor of ",
      c10::CppTypeToScalarType<T>::value, ", but got one of ", checked.scalar_type());
  return checked.mutable_data_ptr<T>();
}

// The elements of a tensor in order, which are copied if they are not contiguous.
template <typename T, typename Device = Host>
class Elements {
 public:
  explicit Elements(const c10::TensorImpl* self) : Elements(tensor(self)) {}
  explicit Elements(const at::Tensor& self) : tensor_(self.contiguous()) {
    data_ = checked_data<T, Device>(tensor_.unsafeGetTensorImpl());
  }
  int64_t size() const { return tensor_.numel(); }
  int64_t size(int64_t dim) const { return tensor_.size(dim); }
  const T& operator[](int64_t index) const { return data_[index]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size(); }

 private:
  at::Tensor tensor_;
  const T* data_;
};

// The elements of an output, which gets the given sizes. `store` ends the work: it copies the
// results if the output is not contiguous.
template <typename T, typename Device = Host>
class Results {
 public:
  Results(c10::TensorImpl* output, c10::IntArrayRef sizes) : output_(tensor(output)) {
    checked_data<T, Device>(output);
    output_.resize_(sizes);
    buffer_ = output_.is_contiguous() ? output_ : at::empty(sizes, output_.options());
    data_ = checked_data<T, Device>(buffer_.unsafeGetTensorImpl());
  }
  int64_t size() const { return buffer_.numel(); }
  T& operator[](int64_t index) { return data_[index]; }
  T* begin() { return data_; }
  T* end() { return data_ + size(); }
  void zero() { buffer_.zero_(); }
  void store() {
    if (!buffer_.is_same(output_)) {
      output_.copy_(buffer_);
    }
  }

 private:
  at::Tensor output_;
  at::Tensor buffer_;
  T* data_;
};

// A kernel: results[i] = function(inputs[0][i], inputs[1][i], ...).
template <typename T, typename Function, size_t count>
struct Pointwise {
  Function function;
  T* results;
  const T* inputs[count];

  C10_HOST_DEVICE void operator()(int64_t i) const { call(i, std::make_index_sequence<count>()); }
  template <size_t... input>
  C10_HOST_DEVICE void call(int64_t i, std::index_sequence<input...>) const {
    results[i] = static_cast<T>(function(inputs[input][i]...));
  }
};

// output[i] = function(input[i], others[i]...). The output gets the sizes of the input, and may be
// the input.
template <typename Device, typename T, typename Function, typename... Others>
void apply(
    c10::TensorImpl* output, const Function& function, c10::TensorImpl* input, Others*... others) {
  const Elements<T, Device> elements(input);
  [[maybe_unused]] const auto check = [&](const c10::TensorImpl* other) {
    TORCH_CHECK(
        other->numel() == elements.size(), "tensors of sizes ", input->sizes(), " and ",
        other->sizes(), " differ in their number of elements");
    return Elements<T, Device>(other);
  };
  const std::tuple further{check(others)...};
  const std::vector<int64_t> sizes = input->sizes().vec();
  Results<T, Device> results(output, sizes);
  const auto run = [&](const auto&... operands) {
    using Kernel = Pointwise<T, Function, 1 + sizeof...(Others)>;
    Device::for_each(
        elements.size(),
        Kernel{function, results.begin(), {elements.begin(), operands.begin()...}});
  };
  std::apply(run, further);
  results.store();
}

// The same. If `inplace` is true, the results are in the input, whose memory the output then
// shares.
template <typename Device, typename T, typename Function>
void apply_to(
    c10::TensorImpl* output, const Function& function, c10::TensorImpl* input, bool inplace) {
  if (!inplace) {
    apply<Device, T>(output, function, input);
    return;
  }
  apply<Device, T>(input, function, input);
  tensor(output).set_(tensor(input));
}

} // namespace th
