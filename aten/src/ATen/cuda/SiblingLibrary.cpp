#include <ATen/cuda/SiblingLibrary.h>

#include <c10/util/Exception.h>

#include <dlfcn.h>

#include <filesystem>

namespace at::cuda {

void load_sibling_library(const char* name, const char* purpose) {
  Dl_info own{};
  const bool known = dladdr(reinterpret_cast<void*>(&load_sibling_library), &own) != 0;
  const auto folder = std::filesystem::path(known ? own.dli_fname : "").parent_path();
  const std::filesystem::path path = folder / name;
  // Never closed: functions of the library stay in use until the process ends.
  const void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return;
  const char* const reason = dlerror();
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "Cannot load ", path.string(), ": ", reason == nullptr ? "unknown reason" : reason,
      ". ", purpose);
}

} // namespace at::cuda
