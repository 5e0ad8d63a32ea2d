#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <ATen/EmptyTensor.h>
#include <c10/core/CopyBytes.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <cstring>
#include <deque>
#include <mutex>

namespace at {

namespace {

// As PyTorch saves it: the seed, then the offset.
struct SavedState {
  uint64_t seed;
  int64_t offset;
};
static_assert(sizeof(SavedState) == 16);

bool capturing() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(c10::cuda::getCurrentCUDAStream(), &status));
  return status != cudaStreamCaptureStatusNone;
}

void write_number(const TensorBase& target, uint64_t value) {
  c10::CopyBytes(
      sizeof(value), &value, c10::Device(c10::DeviceType::CPU), target.mutable_data_ptr(),
      target.device(), /*async=*/false);
}

} // namespace

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device_index)
    : GeneratorImpl(
          c10::Device(c10::DeviceType::CUDA, device_index),
          c10::DispatchKeySet(c10::DispatchKey::CUDA)) {}

CUDAGeneratorImpl::~CUDAGeneratorImpl() = default;

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
  TORCH_CHECK(
      !capture_ && !capturing(),
      "Attempted to change the seed of a CUDA generator during the capture of a graph");
  seed_ = seed;
  offset_ = 0;
}

uint64_t CUDAGeneratorImpl::seed() {
  const uint64_t random = c10::detail::getNonDeterministicRandom(/*is_cuda=*/true);
  set_current_seed(random);
  return random;
}

void CUDAGeneratorImpl::set_state(const c10::TensorImpl& new_state) {
  TORCH_CHECK_TYPE(
      new_state.dtype() == c10::ScalarType::Byte && new_state.device().is_cpu(),
      "RNG state must be a torch.ByteTensor");
  const int64_t size = new_state.numel();
  // States that were saved before there was an offset consist of the seed alone.
  const bool only_seed = size == static_cast<int64_t>(sizeof(uint64_t));
  TORCH_CHECK(
      only_seed || size == static_cast<int64_t>(sizeof(SavedState)), "RNG state is wrong size");
  TORCH_CHECK(new_state.is_contiguous(), "RNG state must be contiguous");
  SavedState saved{};
  std::memcpy(&saved, new_state.data(), static_cast<size_t>(size));
  set_current_seed(saved.seed);
  set_philox_offset_per_thread(static_cast<uint64_t>(saved.offset));
}

c10::intrusive_ptr<c10::TensorImpl> CUDAGeneratorImpl::get_state() const {
  const SavedState saved{seed_, static_cast<int64_t>(offset_)};
  const TensorBase state =
      detail::empty_cpu({static_cast<int64_t>(sizeof(saved))}, c10::ScalarType::Byte);
  std::memcpy(state.mutable_data_ptr(), &saved, sizeof(saved));
  return state.getIntrusivePtr();
}

void CUDAGeneratorImpl::set_philox_offset_per_thread(uint64_t offset) {
  TORCH_CHECK(offset % 4 == 0, "offset must be a multiple of 4, got ", offset);
  offset_ = offset;
}

PhiloxCudaState CUDAGeneratorImpl::philox_cuda_state(uint64_t increment) {
  const uint64_t words = (increment + 3) / 4 * 4;
  if (capture_) {
    const uint64_t before = capture_->drawn;
    capture_->drawn += words;
    return {
        static_cast<int64_t*>(capture_->seed.mutable_data_ptr()),
        static_cast<int64_t*>(capture_->offset.mutable_data_ptr()), before};
  }
  TORCH_CHECK(
      !capturing(),
      "A CUDA generator that a graph draws from must be registered with the graph before the "
      "capture begins");
  const PhiloxCudaState state(seed_, offset_);
  offset_ += words;
  return state;
}

void CUDAGeneratorImpl::capture_prologue(const TensorBase& seed, const TensorBase& offset) {
  TORCH_CHECK(!capture_, "the CUDA generator is already part of a capture");
  capture_ = Capture{seed, offset};
}

uint64_t CUDAGeneratorImpl::capture_epilogue() {
  TORCH_CHECK(capture_, "the CUDA generator is part of no capture");
  const uint64_t drawn = capture_->drawn;
  capture_.reset();
  return drawn;
}

void CUDAGeneratorImpl::replay_prologue(
    const TensorBase& seed, const TensorBase& offset, uint64_t words_of_graph) {
  write_number(seed, seed_);
  write_number(offset, offset_);
  offset_ += words_of_graph;
}

CUDAGeneratorImpl* CUDAGeneratorImpl::clone_impl() const {
  auto copy = c10::make_intrusive<CUDAGeneratorImpl>(device().index());
  copy->seed_ = seed_;
  copy->offset_ = offset_;
  return copy.release();
}

namespace cuda::detail {

namespace {

DeviceIndex checked(DeviceIndex index) {
  const DeviceIndex count = c10::cuda::device_count_ensure_non_zero();
  const DeviceIndex device = index == -1 ? c10::cuda::current_device() : index;
  TORCH_CHECK(
      device >= 0 && device < count, "Invalid device_index: ", static_cast<int>(device), ", but ",
      static_cast<int>(count), " CUDA devices are available");
  return device;
}

} // namespace

const Generator& getDefaultCUDAGenerator(DeviceIndex device_index) {
  static std::mutex mutex;
  static std::deque<Generator> generators; // whose elements keep their addresses
  const DeviceIndex device = checked(device_index);
  const std::lock_guard<std::mutex> lock(mutex);
  if (generators.empty()) {
    generators.resize(static_cast<size_t>(c10::cuda::device_count()));
  }
  Generator& generator = generators[static_cast<size_t>(device)];
  if (!generator.defined()) {
    generator = make_generator<CUDAGeneratorImpl>(device);
    generator.seed();
  }
  return generator;
}

Generator createCUDAGenerator(DeviceIndex device_index) {
  return make_generator<CUDAGeneratorImpl>(checked(device_index));
}

} // namespace cuda::detail
} // namespace at
