// libcaffe2_nvrtc: the only code that calls NVRTC.

#include <ATen/cuda/NvrtcLibrary.h>

#include <c10/util/Exception.h>

#include <dlfcn.h>
#include <nvrtc.h>

#include <filesystem>
#include <string>

namespace at::cuda {
namespace {

void check(nvrtcResult result) {
  TORCH_CHECK(result == NVRTC_SUCCESS, "NVRTC error: ", nvrtcGetErrorString(result));
}

// NVRTC opens a second library by its name when it compiles. In NVIDIA's wheel it lies beside
// NVRTC, in a folder that the loader does not search.
void load_builtins() {
  Dl_info info{};
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor));
  if (dladdr(reinterpret_cast<const void*>(&nvrtcVersion), &info) == 0) return;
  const auto folder = std::filesystem::path(info.dli_fname).parent_path();
  const std::string name =
      "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  // If it is not there, NVRTC's own error says so.
  dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

class Program {
 public:
  Program(const std::string& source, const std::string& name) {
    check(nvrtcCreateProgram(
        &program_, source.c_str(), (name + ".cu").c_str(), /*numHeaders=*/0, nullptr, nullptr));
  }
  ~Program() { nvrtcDestroyProgram(&program_); }
  C10_DISABLE_COPY_AND_ASSIGN(Program);

  operator nvrtcProgram() const { return program_; }
  std::string log() const { return text(nvrtcGetProgramLogSize, nvrtcGetProgramLog); }
  // Empty if the options name a virtual architecture.
  std::string machine_code() const { return text(nvrtcGetCUBINSize, nvrtcGetCUBIN); }
  std::string ptx() const { return text(nvrtcGetPTXSize, nvrtcGetPTX); }

 private:
  std::string text(
      nvrtcResult (*size)(nvrtcProgram, size_t*), nvrtcResult (*get)(nvrtcProgram, char*)) const {
    size_t bytes = 0;
    check(size(program_, &bytes));
    std::string result(bytes, '\0');
    if (bytes != 0) check(get(program_, result.data()));
    return result;
  }

  nvrtcProgram program_ = nullptr;
};

RuntimeKernel compile(
    const std::string& source, const std::string& name, const std::vector<std::string>& options) {
  const Program program(source, name);
  check(nvrtcAddNameExpression(program, name.c_str()));
  std::vector<const char*> arguments;
  arguments.reserve(options.size());
  for (const std::string& option : options) {
    arguments.push_back(option.c_str());
  }
  const nvrtcResult result =
      nvrtcCompileProgram(program, static_cast<int>(arguments.size()), arguments.data());
  if (result != NVRTC_SUCCESS) {
    // The log ends with a zero.
    const std::string log = program.log();
    TORCH_CHECK(
        false, "Kernel compilation failed:\n",
        log.empty() ? nvrtcGetErrorString(result) : log.c_str());
  }
  const char* lowered = nullptr;
  check(nvrtcGetLoweredName(program, name.c_str(), &lowered));
  std::string image = program.machine_code();
  return {image.empty() ? program.ptx() : std::move(image), lowered};
}

std::pair<int, int> version() {
  std::pair<int, int> numbers;
  check(nvrtcVersion(&numbers.first, &numbers.second));
  return numbers;
}

} // namespace
} // namespace at::cuda

extern "C" C10_EXPORT const at::cuda::NvrtcLibrary* caffe2_nvrtc() {
  at::cuda::load_builtins();
  static constexpr at::cuda::NvrtcLibrary library = {at::cuda::compile, at::cuda::version};
  return &library;
}
