#include <ATen/cuda/SiblingLibrary.h>

#include <c10/util/Exception.h>

#include <dlfcn.h>

#include <filesystem>

namespace at::cuda {

namespace {

// A place in this library.
const char anchor = 0;

// Loads a library and looks up the symbol, if there is one.
void* load(const char* name, const char* purpose, const char* symbol) {
  Dl_info own{};
  const bool known = dladdr(&anchor, &own) != 0;
  const auto folder = std::filesystem::path(known ? own.dli_fname : "").parent_path();
  const std::filesystem::path path = folder / name;
  // Never closed: functions of the library stay in use until the process ends.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library != nullptr && symbol != nullptr ? dlsym(library, symbol) : library;
  if (found != nullptr) return found;
  const char* const reason = dlerror();
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "Cannot load ", path.string(), ": ", reason == nullptr ? "unknown reason" : reason,
      ". ", purpose);
}

} // namespace

void load_sibling_library(const char* name, const char* purpose) {
  load(name, purpose, nullptr);
}

void* load_sibling_library(const char* name, const char* purpose, const char* symbol) {
  return load(name, purpose, symbol);
}

} // namespace at::cuda
