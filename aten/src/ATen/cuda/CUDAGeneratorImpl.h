#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/TensorBase.h>
#include <ATen/cuda/PhiloxCudaState.h>
#include <c10/core/GeneratorImpl.h>

#include <cstdint>
#include <optional>

namespace at {

// The generator of a CUDA device. Its state is a seed and an offset into the streams of all
// threads; a kernel that draws numbers takes a part of the offsets with philox_cuda_state() and
// computes its numbers from them. Nothing is kept on the device.
//
// A kernel in a captured graph must draw other numbers in each replay. From capture_prologue() on,
// philox_cuda_state() hands out addresses in device memory instead of values, and counts what the
// graph draws in all; replay_prologue() writes the seed and the offset there and advances the
// offset by that much.
//
// An offset counts words of one thread's stream and is always a multiple of 4, the words that one
// evaluation of Philox gives.
struct TORCH_CUDA_CPP_API CUDAGeneratorImpl final : public c10::GeneratorImpl {
  explicit CUDAGeneratorImpl(DeviceIndex device_index = -1);
  ~CUDAGeneratorImpl() override;

  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override;
  void set_state(const c10::TensorImpl& new_state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
  static c10::DeviceType device_type() { return c10::DeviceType::CUDA; }

  // In words; throws if it is not a multiple of 4.
  void set_philox_offset_per_thread(uint64_t offset);
  uint64_t philox_offset_per_thread() const { return offset_; }

  // Reserves `increment` words of every thread's stream. The caller holds mutex_.
  PhiloxCudaState philox_cuda_state(uint64_t increment);

  // The two numbers are int64 tensors with one element, on this device.
  void capture_prologue(const TensorBase& seed, const TensorBase& offset);
  // Returns the words that the graph draws per thread.
  uint64_t capture_epilogue();
  void replay_prologue(const TensorBase& seed, const TensorBase& offset, uint64_t words_of_graph);

 private:
  CUDAGeneratorImpl* clone_impl() const override;

  struct Capture {
    TensorBase seed;
    TensorBase offset;
    uint64_t drawn = 0;
  };
  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
  std::optional<Capture> capture_;
};

namespace cuda::detail {

// Index -1 is the current device.
TORCH_CUDA_CPP_API const Generator& getDefaultCUDAGenerator(DeviceIndex device_index = -1);
TORCH_CUDA_CPP_API Generator createCUDAGenerator(DeviceIndex device_index = -1);

} // namespace cuda::detail
} // namespace at
