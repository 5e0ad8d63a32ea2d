#pragma once

// The classes that generated registrations wrap around a structured operator's meta and impl: one
// allocates the outputs (functional), one checks self (in place), one resizes the out arguments.
// They store their tensors inline, so a functional call allocates nothing but its outputs.

#include <ATen/TensorMeta.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

namespace at {

struct TensorIteratorBase;

namespace structured {

// How a backend creates an output, and what it needs before the kernel runs on the outputs' device.
// Empty strides mean contiguous.
struct TORCH_API CPU {
  static Tensor make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options);
  static void enter(c10::Device) {}
};
struct TORCH_API Meta {
  static Tensor make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options);
  static void enter(c10::Device) {}
};
// Works for any backend, through at::empty_strided.
struct TORCH_API Default {
  static Tensor make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options);
  static void enter(c10::Device) {}
};
// Memory of the allocator that the device type has registered.
struct TORCH_API OnDevice {
  static Tensor make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options);
  static void enter(c10::Device) {}
};
// The same, with the outputs' device as the current one until the call ends.
class TORCH_API OnCurrentDevice {
 public:
  static Tensor make(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options);
  void enter(c10::Device device);

 private:
  c10::OptionalDeviceGuard guard_;
};

TORCH_API void check_inplace(const Tensor& self, IntArrayRef sizes, const TensorOptions& options);
TORCH_API void resize_out(
    const Tensor& out, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options);
// Whether an output must be computed in a temporary with other strides and then copied.
TORCH_API bool has_other_strides(const Tensor& out, IntArrayRef sizes, IntArrayRef strides);
TORCH_API void copy_back(const Tensor& out, const Tensor& computed);

// TensorIterator needs to know its outputs; plain meta classes do not.
template <class Op>
inline void forward_to_iterator(
    Op& op, int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options) {
  if constexpr (std::is_base_of_v<TensorIteratorBase, Op>) {
    op.Op::set_output_raw_strided(output_idx, sizes, strides, options, {});
  }
}

template <class Op, size_t N, class Backend>
struct Functional final : Op {
  const Tensor& maybe_get_output(int64_t output_idx) override { return outputs[output_idx]; }
  void set_output_raw_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList = {}) override {
    backend.enter(options.device());
    outputs[output_idx] = backend.make(sizes, strides, options);
    forward_to_iterator<Op>(*this, output_idx, sizes, strides, options);
  }
  void set_output_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList = {}) override {
    set_output_raw_strided(output_idx, sizes, strides, options);
  }

  Tensor& output(size_t index) { return outputs[index]; }
  void finish() {}

  [[no_unique_address]] Backend backend;
  std::array<Tensor, N> outputs;
};

// The common part of the in-place and out= variants: the caller provides the outputs, and one whose
// strides the impl does not support is computed in a temporary.
template <class Op, size_t N, class Backend>
struct Given : Op {
  template <class... Tensors>
  explicit Given(const Tensors&... tensors) : given{&tensors...} {}

  const Tensor& maybe_get_output(int64_t output_idx) override {
    const Tensor& stand_in = stand_ins[output_idx];
    return stand_in.defined() ? stand_in : *given[output_idx];
  }
  void set_output_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList = {}) override {
    backend.enter(options.device());
    prepare(output_idx, sizes, strides, options);
    if (has_other_strides(*given[output_idx], sizes, strides)) {
      stand_ins[output_idx] = backend.make(sizes, strides, options);
    }
    forward_to_iterator<Op>(*this, output_idx, sizes, strides, options);
  }
  void set_output_raw_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList = {}) override {
    backend.enter(options.device());
    prepare(output_idx, sizes, strides, options);
    forward_to_iterator<Op>(*this, output_idx, sizes, strides, options);
  }
  virtual void prepare(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) = 0;

  const Tensor& output(size_t index) { return maybe_get_output(index); }
  void finish() {
    for (size_t index = 0; index < N; ++index) {
      if (stand_ins[index].defined()) {
        copy_back(*given[index], stand_ins[index]);
      }
    }
  }

  [[no_unique_address]] Backend backend;
  std::array<const Tensor*, N> given;
  std::array<Tensor, N> stand_ins;
};

template <class Op, size_t N, class Backend>
struct Inplace final : Given<Op, N, Backend> {
  using Given<Op, N, Backend>::Given;
  void prepare(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef, const TensorOptions& options) override {
    check_inplace(*this->given[output_idx], sizes, options);
  }
};

template <class Op, size_t N, class Backend>
struct Out final : Given<Op, N, Backend> {
  using Given<Op, N, Backend>::Given;
  void prepare(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides,
      const TensorOptions& options) override {
    resize_out(*this->given[output_idx], sizes, strides, options);
  }
};

} // namespace structured
} // namespace at
