// NVRTC for the emulated device: runs the C++ compiler on the source of a kernel, with the headers
// of the emulated toolkit. CXX names the compiler. The headers are those of the checkout that this
// was built from, CUDA_EMULATION_SOURCES.

#include <nvrtc.h>

#include <c10/cuda/emulated/RuntimeKernel.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

struct _nvrtcProgram {
  std::string source;
  std::string name;
  std::map<std::string, std::string> lowered; // by expression
  std::string log;
  std::string image;
};

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "emulated-nvrtc-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string identifier(std::string_view expression) {
  std::string result(expression);
  std::replace_if(
      result.begin(), result.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  return result;
}

// The source, with an entry for each kernel that was named.
std::string translation_unit(const _nvrtcProgram& program) {
  std::string text = "#line 1 \"" + program.name + "\"\n" + program.source + "\n";
  for (const auto& [expression, lowered] : program.lowered) {
    text +=
        "extern \"C\" { __attribute__((visibility(\"default\"))) cuda_emulation::RuntimeKernel " +
        std::string(cuda_emulation::kEntryPrefix) + lowered + " = cuda_emulation::describe(" +
        expression + "); }\n";
  }
  return text;
}

// Options for GPUs mean nothing here; those of the preprocessor and the language do.
bool is_for_gpus(std::string_view option) {
  static constexpr std::string_view kPrefixes[] = {
      "--gpu-architecture=",  "-arch=",          "--use_fast_math",
      "-use_fast_math",       "--fmad=",         "-lineinfo",
      "--generate-line-info", "--maxrregcount=", "-default-device"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [option](std::string_view prefix) {
    return option.starts_with(prefix);
  });
}
bool is_for_cpp(std::string_view option) {
  static constexpr std::string_view kPrefixes[] = {"-I", "-D", "-U", "-std=", "--std="};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [option](std::string_view prefix) {
    return option.starts_with(prefix);
  });
}

std::string emulation_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&cuda_emulation::launch_kernel), &info);
  return info.dli_fname != nullptr ? info.dli_fname : "";
}

// Runs a command whose output goes to a file. Returns whether it ended with success.
bool run(std::vector<std::string> command, const fs::path& output) {
  std::vector<char*> arguments;
  for (std::string& argument : command) {
    arguments.push_back(argument.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  return error == 0 && waitpid(child, &status, 0) == child && status == 0;
}

std::vector<std::string> compile_command(const fs::path& source, const fs::path& library) {
  const char* const compiler = std::getenv("CXX");
  const std::string root = CUDA_EMULATION_SOURCES;
  return {
      compiler != nullptr && *compiler != '\0' ? compiler : "c++",
      "-xc++",
      "-std=c++20",
      "-O1",
      "-shared",
      "-fPIC",
      "-fvisibility=hidden",
      "-Wno-unknown-pragmas",
      "-I" + root,
      "-I" + root + "/c10/cuda/emulated/include",
      "-include",
      "cuda_runtime.h",
      "-include",
      "c10/cuda/emulated/RuntimeKernel.h",
      "-include",
      "cmath",
      "-o",
      library.string(),
      source.string()};
}

nvrtcResult copy_out(const std::string& from, char* to) {
  std::memcpy(to, from.data(), from.size());
  return NVRTC_SUCCESS;
}

} // namespace

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS:
      return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
      return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_INVALID_PROGRAM:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION:
      return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION:
      return "NVRTC_ERROR_COMPILATION";
    case NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID:
      return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
  }
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13; // the release whose API this is
  *minor = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(
    nvrtcProgram* program, const char* source, const char* name, int header_count,
    const char* const* /*headers*/, const char* const* /*include_names*/) {
  if (header_count != 0) return NVRTC_ERROR_INVALID_PROGRAM;
  *program = new _nvrtcProgram{source, name, {}, {}, {}};
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  program->lowered[expression] = identifier(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return NVRTC_ERROR_OUT_OF_MEMORY;
  const fs::path source = folder.path() / "kernel.cpp";
  const fs::path library = folder.path() / "kernel.so";
  const fs::path log = folder.path() / "log";
  std::ofstream(source) << translation_unit(*program);
  std::vector<std::string> command = compile_command(source, library);
  for (int i = 0; i < count; ++i) {
    if (is_for_gpus(options[i])) continue;
    if (!is_for_cpp(options[i])) {
      program->log = std::string("the emulated NVRTC does not know the option ") + options[i];
      return NVRTC_ERROR_INVALID_OPTION;
    }
    command.emplace_back(options[i]);
  }
  command.insert(command.end(), {"-xnone", emulation_library()});
  const bool compiled = run(command, log);
  program->log = read_file(log);
  if (!compiled) return NVRTC_ERROR_COMPILATION;
  const std::string bytes = read_file(library);
  cuda_emulation::ImageHeader header{{}, bytes.size()};
  std::copy(
      std::begin(cuda_emulation::kImageMagic), std::end(cuda_emulation::kImageMagic),
      std::begin(header.magic));
  program->image.assign(reinterpret_cast<const char*>(&header), sizeof(header));
  program->image += bytes;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  const auto found = program->lowered.find(expression);
  if (found == program->lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = found->second.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes) {
  *bytes = program->log.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return copy_out(program->log, log);
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes) {
  *bytes = program->image.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
  return copy_out(program->image, image);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t*) {
  return NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) {
  return NVRTC_ERROR_INVALID_PROGRAM;
}
