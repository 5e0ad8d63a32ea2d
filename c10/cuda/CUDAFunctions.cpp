#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace c10::cuda {

namespace {

// Without a driver the runtime reports the same error as with one that is too old.
bool has_driver() {
  int version = 0;
  const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaDriverGetVersion(&version));
  return error == cudaSuccess && version > 0;
}

DeviceIndex count_devices() {
  int count = 0;
  const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaGetDeviceCount(&count));
  if (error != cudaSuccess) {
    C10_CUDA_CLEAR_ERROR();
    if (error != cudaErrorNoDevice && has_driver()) {
      TORCH_WARN("No CUDA device can be used: ", cudaGetErrorString(error));
    }
    return 0;
  }
  constexpr int most = std::numeric_limits<DeviceIndex>::max();
  return static_cast<DeviceIndex>(count < most ? count : most);
}

// Engines leave a file in their containers, and images for GPUs set the variable.
bool in_container() {
  if (std::getenv("NVIDIA_VISIBLE_DEVICES") != nullptr) return true;
  for (const char* mark : {"/.dockerenv", "/run/.containerenv"}) {
    if (access(mark, F_OK) == 0) return true;
  }
  return false;
}

// Begins with PyTorch's words, by which programs recognise the error.
std::string why_there_is_no_device() {
  const bool driver = has_driver();
  std::string text = driver
      ? "No CUDA GPUs are available. Check what nvidia-smi lists, and that CUDA_VISIBLE_DEVICES "
        "does not hide all GPUs."
      : "Found no NVIDIA driver on your system.";
  if (in_container()) {
    text +=
        " A container sees the host's driver and GPUs only if it is started with them: "
        "docker run --gpus all";
  } else if (!driver) {
    text += " Install it, and check with nvidia-smi that it works.";
  }
  return text;
}

void check_index(DeviceIndex device) {
  const DeviceIndex count = device_count();
  TORCH_CHECK(
      device >= 0 && device < count, "CUDA device ", static_cast<int>(device),
      " does not exist: this process sees ", static_cast<int>(count),
      " (CUDA_VISIBLE_DEVICES can hide devices)");
}

} // namespace

DeviceIndex device_count() noexcept {
  static const DeviceIndex count = count_devices();
  return count;
}

DeviceIndex device_count_ensure_non_zero() {
  const DeviceIndex count = device_count();
  TORCH_CHECK(count > 0, why_there_is_no_device());
  return count;
}

DeviceIndex current_device() {
  int device = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  return static_cast<DeviceIndex>(device);
}

void set_device(DeviceIndex device) {
  check_index(device);
  C10_CUDA_CHECK(cudaSetDevice(device));
}

DeviceIndex exchange_device(DeviceIndex device) {
  const DeviceIndex old = current_device();
  if (device != old) set_device(device);
  return old;
}

void device_synchronize() {
  C10_CUDA_CHECK(cudaDeviceSynchronize());
}

const cudaDeviceProp& device_properties(DeviceIndex device) {
  static std::mutex mutex;
  static auto* known = new std::vector<std::optional<cudaDeviceProp>>(
      static_cast<size_t>(device_count_ensure_non_zero())); // references to it are kept
  if (device == -1) device = current_device();
  check_index(device);
  const std::lock_guard<std::mutex> lock(mutex);
  auto& properties = (*known)[static_cast<size_t>(device)];
  if (!properties) {
    cudaDeviceProp asked = {};
    C10_CUDA_CHECK(cudaGetDeviceProperties(&asked, device));
    properties = asked;
  }
  return *properties;
}

bool get_p2p_access(DeviceIndex from, DeviceIndex to) {
  check_index(from);
  check_index(to);
  if (from == to) return true;
  enum class Access : uint8_t { Unknown, No, Yes };
  static std::mutex mutex;
  static std::array<std::array<Access, 128>, 128> known{};
  const std::lock_guard<std::mutex> lock(mutex);
  Access& access = known[static_cast<size_t>(from)][static_cast<size_t>(to)];
  if (access == Access::Unknown) {
    int can = 0;
    C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, from, to));
    access = can != 0 ? Access::Yes : Access::No;
    if (access == Access::Yes) {
      const CUDAGuard guard(from);
      const cudaError_t error = C10_CUDA_ERROR_HANDLED(cudaDeviceEnablePeerAccess(to, 0));
      if (error == cudaErrorPeerAccessAlreadyEnabled) {
        C10_CUDA_CLEAR_ERROR(); // by another library of the process
      } else {
        C10_CUDA_CHECK(error);
      }
    }
  }
  return access == Access::Yes;
}

} // namespace c10::cuda
