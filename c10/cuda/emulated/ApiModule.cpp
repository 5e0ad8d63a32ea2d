// Entries of the driver's API: modules of kernels that were compiled at run time.

#include <c10/cuda/emulated/RuntimeKernel.h>
#include <c10/cuda/emulated/Runtime.h>
#include <cuda.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>

using namespace cuda_emulation;

namespace {

bool write_all(int file, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t written = write(file, data, bytes);
    if (written <= 0) return false;
    data += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

// Loads a library from memory, through a file: the loader tells libraries apart by their paths.
void* load_image(const char* library, size_t bytes) {
  std::string path = (std::filesystem::temp_directory_path() / "emulated-module-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  void* const handle =
      write_all(file, library, bytes) ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  close(file);
  unlink(path.c_str());
  return handle;
}

const RuntimeKernel& described(CUfunction function) {
  return *reinterpret_cast<const RuntimeKernel*>(function);
}

CUresult driver_error(int error) {
  switch (error) {
    case cudaSuccess:
      return CUDA_SUCCESS;
    case cudaErrorMemoryAllocation:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case cudaErrorInvalidResourceHandle:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

} // namespace

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  ImageHeader header{};
  std::memcpy(&header, image, sizeof(header));
  if (!std::equal(std::begin(kImageMagic), std::end(kImageMagic), header.magic)) {
    return CUDA_ERROR_INVALID_IMAGE; // PTX, or machine code of a GPU
  }
  void* const handle = load_image(
      static_cast<const char*>(image) + sizeof(header), static_cast<size_t>(header.bytes));
  *module = static_cast<CUmodule>(handle);
  return handle != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  *function = static_cast<CUfunction>(dlsym(module, (std::string(kEntryPrefix) + name).c_str()));
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  const RuntimeKernel& kernel = described(function);
  if (index >= kernel.parameter_count) return CUDA_ERROR_INVALID_VALUE;
  *offset = std::accumulate(kernel.parameter_bytes, kernel.parameter_bytes + index, size_t{0});
  *bytes = kernel.parameter_bytes[index];
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  // A launch checks the size against the same limit.
  const bool valid = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0;
  return function != nullptr && valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLaunchKernel(
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments,
    void** extra) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (extra != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  const RuntimeKernel& kernel = described(function);
  return driver_error(kernel.launch(
      kernel.code, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream,
      arguments));
}
