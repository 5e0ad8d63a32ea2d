#include <ATen/cuda/SiblingLibrary.h>

#include <c10/util/Exception.h>

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <string>

namespace at::cuda {

namespace {

// A place in this library.
const char anchor = 0;

std::string loader_message() {
  const char* const message = dlerror();
  return message == nullptr ? "unknown reason" : message;
}

// Returns the name in "libcusolver.so.12: cannot open shared object file: No such file or
// directory"; none in another message, or if a path could not be opened.
std::string missing_library(const std::string& message) {
  const std::string name = message.substr(0, message.find(": cannot open shared object file"));
  return name == message || name.find('/') != std::string::npos ? "" : name;
}

// A library, and its path in the folder of one that is loaded.
struct Neighbour {
  std::string name;
  std::filesystem::path path;
};

int search_folder(dl_phdr_info* loaded, size_t /*size*/, void* neighbour) {
  auto& [name, path] = *static_cast<Neighbour*>(neighbour);
  const auto found = std::filesystem::path(loaded->dlpi_name).replace_filename(name);
  std::error_code ignored;
  if (!found.is_absolute() || !std::filesystem::exists(found, ignored)) return 0;
  path = found;
  return 1; // ends the search
}

// Loads a library like dlopen, which has no RUNPATH to NVIDIA's wheels in a checkout. `import
// torch` has loaded some of their libraries by their paths; others that are missing are taken from
// the same folders.
void* open_library(const std::filesystem::path& path, std::string& reason) {
  for (std::string last;;) {
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reason = loader_message();
    Neighbour missing{missing_library(reason), {}};
    if (missing.name.empty() || missing.name == last) return nullptr;
    if (dl_iterate_phdr(search_folder, &missing) == 0) return nullptr;
    if (dlopen(missing.path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) return nullptr;
    last = missing.name;
  }
}

// Loads a library and looks up the symbol, if there is one.
void* load(const char* name, const char* purpose, const char* symbol) {
  Dl_info own{};
  const bool known = dladdr(&anchor, &own) != 0;
  const auto folder = std::filesystem::path(known ? own.dli_fname : "").parent_path();
  const std::filesystem::path path = folder / name;
  // Never closed: functions of the library stay in use until the process ends.
  std::string reason;
  void* const library = open_library(path, reason);
  if (library != nullptr && symbol == nullptr) return library;
  if (library != nullptr) {
    if (void* const found = dlsym(library, symbol)) return found;
    reason = loader_message();
  }
  TORCH_CHECK_NOT_IMPLEMENTED(false, "Cannot load ", path.string(), ": ", reason, ". ", purpose);
}

} // namespace

void load_sibling_library(const char* name, const char* purpose) {
  load(name, purpose, nullptr);
}

void* load_sibling_library(const char* name, const char* purpose, const char* symbol) {
  return load(name, purpose, symbol);
}

} // namespace at::cuda
