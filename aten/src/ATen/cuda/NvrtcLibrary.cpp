#include <ATen/cuda/NvrtcLibrary.h>

#include <ATen/cuda/SiblingLibrary.h>

namespace at::cuda {

const NvrtcLibrary& nvrtc_library() {
  static const NvrtcLibrary* const library = [] {
    const auto entry = reinterpret_cast<NvrtcEntry>(load_sibling_library(
        "libcaffe2_nvrtc.so",
        "Kernels that are compiled at run time need it, and a build has it with USE_NVRTC=1.",
        kNvrtcEntry));
    return entry();
  }();
  return *library;
}

} // namespace at::cuda
