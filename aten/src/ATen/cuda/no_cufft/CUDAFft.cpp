#include <ATen/cuda/CUDAFft.h>

#include <c10/util/Exception.h>

// Fourier transforms in a build without cuFFT: an error that says what to do.

namespace at::cuda::fft {

void execute(const Transform&, void*, void*) {
  TORCH_CHECK(
      false,
      "torch.fft needs cuFFT on CUDA devices, and this build has none: install it "
      "(pip install nvidia-cufft), and build again with USE_CUFFT=1");
}

} // namespace at::cuda::fft
