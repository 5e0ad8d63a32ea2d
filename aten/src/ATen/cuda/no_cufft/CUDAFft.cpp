#include <ATen/cuda/CUDAFft.h>

#include <c10/util/Exception.h>

// Fourier transforms in a build without cuFFT: an error that says what to do.

namespace at::cuda::fft {

namespace {

[[noreturn]] void no_cufft() {
  TORCH_CHECK(
      false,
      "torch.fft needs cuFFT on CUDA devices, and this build has none: install it "
      "(pip install nvidia-cufft), and build again with USE_CUFFT=1");
}

} // namespace

void execute(const Transform&, void*, void*) {
  no_cufft();
}
PlanCacheInfo plan_cache_info(c10::DeviceIndex) {
  no_cufft();
}
void set_plan_cache_max_size(c10::DeviceIndex, int64_t) {
  no_cufft();
}
void clear_plan_cache(c10::DeviceIndex) {
  no_cufft();
}

} // namespace at::cuda::fft
