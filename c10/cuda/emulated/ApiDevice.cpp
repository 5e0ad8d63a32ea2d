// Entries of the CUDA runtime's API: devices and errors.

#include <c10/cuda/emulated/Runtime.h>

#include <algorithm>
#include <cstdio>
#include <utility>

using namespace cuda_emulation;

namespace {

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};
#define ERROR_TEXT(error, text) \
  { error, #error, text }
constexpr ErrorText kErrors[] = {
    ERROR_TEXT(cudaSuccess, "no error"),
    ERROR_TEXT(cudaErrorInvalidValue, "invalid argument"),
    ERROR_TEXT(cudaErrorMemoryAllocation, "out of memory"),
    ERROR_TEXT(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR_TEXT(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ERROR_TEXT(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR_TEXT(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    ERROR_TEXT(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR_TEXT(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR_TEXT(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR_TEXT(cudaErrorNotReady, "device not ready"),
    ERROR_TEXT(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR_TEXT(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR_TEXT(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR_TEXT(cudaErrorAssert, "device-side assert triggered"),
    ERROR_TEXT(
        cudaErrorHostMemoryAlreadyRegistered,
        "part or all of the requested memory range is already mapped"),
    ERROR_TEXT(
        cudaErrorHostMemoryNotRegistered,
        "pointer does not correspond to a registered memory region"),
    ERROR_TEXT(cudaErrorLaunchFailure, "unspecified launch failure"),
    ERROR_TEXT(cudaErrorNotSupported, "operation not supported"),
    ERROR_TEXT(
        cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR_TEXT(
        cudaErrorStreamCaptureInvalidated,
        "operation failed due to a previous error during capture"),
    ERROR_TEXT(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
    ERROR_TEXT(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR_TEXT(
        cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR_TEXT(
        cudaErrorStreamCaptureImplicit,
        "operation would make the legacy stream depend on a capturing blocking stream"),
};
#undef ERROR_TEXT

const ErrorText& text_of(cudaError_t error) {
  static constexpr ErrorText unknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors), [=](const auto& entry) {
    return entry.error == error;
  });
  return found == std::end(kErrors) ? unknown : *found;
}

} // namespace

const char* cudaGetErrorName(cudaError_t error) {
  return text_of(error).name;
}
const char* cudaGetErrorString(cudaError_t error) {
  return text_of(error).text;
}
cudaError_t cudaGetLastError() {
  Runtime& runtime = Runtime::get();
  const Lock lock(runtime.mutex);
  const cudaError_t error = std::exchange(thread_state().last_error, cudaSuccess);
  return runtime.sticky != cudaSuccess ? runtime.sticky : error;
}
cudaError_t cudaPeekAtLastError() {
  Runtime& runtime = Runtime::get();
  const Lock lock(runtime.mutex);
  return runtime.sticky != cudaSuccess ? runtime.sticky : thread_state().last_error;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return call([&](Runtime& runtime, Lock&) {
    *count = runtime.devices();
    return cudaSuccess;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return call([&](Runtime&, Lock&) {
    *device = thread_state().device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return call([&](Runtime& runtime, Lock&) {
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    thread_state().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call([&](Runtime& runtime, Lock&) {
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "Emulated CUDA device");
    properties->totalGlobalMem = runtime.settings().memory;
    properties->sharedMemPerBlock = kSharedPerBlock;
    properties->sharedMemPerBlockOptin = kSharedPerBlock;
    properties->sharedMemPerMultiprocessor = size_t{64} << 10;
    properties->regsPerBlock = 65536;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    const int threads[] = {1024, 1024, 64};
    const int grid[] = {2147483647, 65535, 65535};
    std::copy(std::begin(threads), std::end(threads), properties->maxThreadsDim);
    std::copy(std::begin(grid), std::end(grid), properties->maxGridSize);
    properties->major = runtime.settings().capability / 10;
    properties->minor = runtime.settings().capability % 10;
    properties->multiProcessorCount = 4;
    properties->l2CacheSize = 1 << 20;
    properties->integrated = 1; // its memory is the host's
    properties->uuid = {"emulated"};
    properties->uuid.bytes[15] = static_cast<char>(device);
    properties->pciDeviceID = device;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call([&](Runtime& runtime, Lock& lock) {
    if (const cudaError_t error = runtime.forbid_in_capture(); error != cudaSuccess) return error;
    return runtime.scheduler().run_all(thread_state().device, lock);
  });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Runtime&, Lock&) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return call([&](Runtime& runtime, Lock&) {
    if (!runtime.valid_device(device) || !runtime.valid_device(peer)) return cudaErrorInvalidDevice;
    *can_access = device != peer;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return call([&](Runtime& runtime, Lock&) {
    const int device = thread_state().device;
    if (!runtime.valid_device(peer) || peer == device) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    return runtime.enable_peer(device, peer) ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
