#pragma once

// Kernels that are compiled while a program runs. NVRTC is linked by libcaffe2_nvrtc alone, which
// the first such kernel loads from the folder of libtorch_cuda. Compiling needs neither a GPU nor a
// driver; loading and launching what was compiled do (c10/cuda/DriverApi.h).

#include <c10/macros/Export.h>

#include <string>
#include <utility>
#include <vector>

namespace at::cuda {

struct RuntimeKernel {
  std::string image; // machine code, or PTX if the options name a virtual architecture
  std::string lowered_name;
};

struct NvrtcLibrary {
  // `name` is that of a kernel in the source, or an expression such as "scale<float>". Throws
  // RuntimeError with the compiler's messages.
  RuntimeKernel (*compile)(
      const std::string& source, const std::string& name, const std::vector<std::string>& options);
  std::pair<int, int> (*version)(); // major and minor
};

// The name and type of the only function that libcaffe2_nvrtc exports.
constexpr char kNvrtcEntry[] = "caffe2_nvrtc";
using NvrtcEntry = const NvrtcLibrary* (*)();

// Loads the library if that has not happened yet. Throws, with the path and the option, if it is
// missing or cannot be loaded; a later call tries again.
TORCH_CUDA_CPP_API const NvrtcLibrary& nvrtc_library();

} // namespace at::cuda
