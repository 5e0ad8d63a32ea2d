#include <ATen/cuda/CUDANccl.h>

#include <c10/util/Exception.h>

// Collectives in a build without NCCL: an error that says what to do.

namespace at::cuda::nccl {

namespace {

[[noreturn]] void no_nccl() {
  TORCH_CHECK(
      false,
      "PyTorch was not built with NCCL support: install it (pip install nvidia-nccl-cu13), and "
      "build again with USE_NCCL=1");
}

} // namespace

bool is_built() {
  return false;
}
uint64_t version() {
  no_nccl();
}
std::string version_suffix() {
  no_nccl();
}
std::string unique_id() {
  no_nccl();
}
std::unique_ptr<Communicator> init_rank(int, const std::string&, int) {
  no_nccl();
}
void all_reduce(const std::vector<Tensor>&, const std::vector<Tensor>&, int, const Ranks&) {
  no_nccl();
}
void reduce(const std::vector<Tensor>&, const Tensor&, int, int, const Ranks&) {
  no_nccl();
}
void broadcast(const std::vector<Tensor>&, int, const Ranks&) {
  no_nccl();
}
void all_gather(const std::vector<Tensor>&, const std::vector<Tensor>&, const Ranks&) {
  no_nccl();
}
void reduce_scatter(const std::vector<Tensor>&, const std::vector<Tensor>&, int, const Ranks&) {
  no_nccl();
}

} // namespace at::cuda::nccl
