#pragma once
// Access to the elements of TH's tensors: inputs are read and outputs written in contiguous memory.
#include <TH/THTensor.h>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>

#include <tuple>
#include <vector>

namespace th {

using Owned = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

// Another reference to the tensor.
inline at::Tensor tensor(const c10::TensorImpl* borrowed) {
  return at::Tensor(Owned::reclaim_copy(const_cast<c10::TensorImpl*>(borrowed)));
}

template <typename T>
T* checked_data(const c10::TensorImpl* self) {
  const at::Tensor checked = tensor(self);
  TORCH_CHECK(checked.is_cpu(), "TH expects a CPU tensor, but got one on ", checked.device());
  TORCH_CHECK(
      checked.scalar_type() == c10::CppTypeToScalarType<T>::value, "TH expects a tensor of ",
      c10::CppTypeToScalarType<T>::value, ", but got one of ", checked.scalar_type());
  return checked.mutable_data_ptr<T>();
}

// The elements of a tensor in order, which are copied if they are not contiguous.
template <typename T>
class Elements {
 public:
  explicit Elements(const c10::TensorImpl* self) : Elements(tensor(self)) {}
  explicit Elements(const at::Tensor& self) : tensor_(self.contiguous()) {
    data_ = checked_data<T>(tensor_.unsafeGetTensorImpl());
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
template <typename T>
class Results {
 public:
  Results(c10::TensorImpl* output, c10::IntArrayRef sizes) : output_(tensor(output)) {
    checked_data<T>(output);
    output_.resize_(sizes);
    buffer_ = output_.is_contiguous() ? output_ : at::empty(sizes, output_.options());
    data_ = checked_data<T>(buffer_.unsafeGetTensorImpl());
  }
  int64_t size() const { return buffer_.numel(); }
  T& operator[](int64_t index) { return data_[index]; }
  T* begin() { return data_; }
  T* end() { return data_ + size(); }
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

// output[i] = function(input[i], others[i]...). The output gets the sizes of the input, and may be
// the input.
template <typename T, typename Function, typename... Others>
void apply(
    c10::TensorImpl* output, const Function& function, c10::TensorImpl* input, Others*... others) {
  const Elements<T> elements(input);
  [[maybe_unused]] const auto check = [&](const c10::TensorImpl* other) {
    TORCH_CHECK(
        other->numel() == elements.size(), "tensors of sizes ", input->sizes(), " and ",
        other->sizes(), " differ in their number of elements");
    return Elements<T>(other);
  };
  const std::tuple further{check(others)...};
  const std::vector<int64_t> sizes = input->sizes().vec();
  Results<T> results(output, sizes);
  for (int64_t i = 0; i < elements.size(); ++i) {
    results[i] = std::apply(
        [&](const auto&... values) { return static_cast<T>(function(elements[i], values[i]...)); },
        further);
  }
  results.store();
}

// The same, with the results in the input itself, whose memory the output then shares.
template <typename T, typename Function>
void apply_inplace(c10::TensorImpl* output, const Function& function, c10::TensorImpl* input) {
  apply<T>(input, function, input);
  tensor(output).set_(tensor(input));
}

} // namespace th
