#pragma once

// Collectives over the devices of one process, by NCCL. Without NCCL they throw (no_nccl).

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/macros/Export.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace at::cuda::nccl {

TORCH_CUDA_CPP_API bool is_built();
// Major, minor and patch, 16 bits each.
TORCH_CUDA_CPP_API uint64_t version();
// What follows the numbers of the version, or nothing.
TORCH_CUDA_CPP_API std::string version_suffix();

// The bytes that processes exchange to find each other.
TORCH_CUDA_CPP_API std::string unique_id();

// One rank's part of a group of devices. The destructor leaves the group.
struct Communicator {
  virtual ~Communicator() = default;
};
// Joins a group of several processes, on the current device. Blocks until all ranks have joined.
TORCH_CUDA_CPP_API std::unique_ptr<Communicator> init_rank(
    int ranks, const std::string& unique_id, int rank);

// Where a collective runs. Empty streams are the devices' current ones; without communicators, one
// is made for each list of devices and kept.
struct Ranks {
  std::vector<std::optional<c10::cuda::CUDAStream>> streams;
  std::vector<const Communicator*> communicators;
};

// Operations, by NCCL's numbers: sum, product, maximum, minimum, mean.
constexpr int kOperations = 5;

// Each list has a contiguous tensor of each rank, all of one dtype and on devices of their own.
TORCH_CUDA_CPP_API void all_reduce(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, int operation,
    const Ranks& ranks);
TORCH_CUDA_CPP_API void reduce(
    const std::vector<Tensor>& inputs, const Tensor& output, int root, int operation,
    const Ranks& ranks);
TORCH_CUDA_CPP_API void broadcast(const std::vector<Tensor>& tensors, int root, const Ranks& ranks);
// An output has the elements of all inputs.
TORCH_CUDA_CPP_API void all_gather(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, const Ranks& ranks);
// An input has the elements of all outputs.
TORCH_CUDA_CPP_API void reduce_scatter(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, int operation,
    const Ranks& ranks);

} // namespace at::cuda::nccl
