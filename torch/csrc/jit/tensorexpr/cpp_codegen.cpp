// The back end that compiles C++.

#include <torch/csrc/jit/tensorexpr/codegen.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/tensorexpr/analysis.h>
#include <torch/csrc/jit/tensorexpr/external_functions.h>
#include <torch/csrc/jit/tensorexpr/ir_printer.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <unordered_map>

extern char** environ;

namespace torch::jit::tensorexpr {
namespace {

using Kernel = bool (*)(void* const*);

constexpr const char* prelude = R"(// Printed by torch::jit::tensorexpr::CppCodeGen.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

namespace {
template <class T>
T maximum(T a, T b) {
  return a != a || a > b ? a : b;
}
template <class T>
T minimum(T a, T b) {
  return a != a || a < b ? a : b;
}

using ExternalFunction = void (*)(
    int64_t, void**, int64_t*, int64_t*, int64_t*, int8_t*, int64_t, int64_t*);

// No exception may leave a parallel loop, so a division by zero is noted.
struct Program {
  std::atomic<bool> divided_by_zero{false};

  template <class T>
  T divide(T a, T b) {
    if constexpr (std::numeric_limits<T>::is_integer) {
      if (b == 0) divided_by_zero = true;
      if (b == 0 || b == -1) return -a;
    }
    return a / b;
  }
  template <class T>
  T modulo(T a, T b) {
    if (b == 0) divided_by_zero = true;
    return b == 0 || b == -1 ? T(0) : a % b;
  }
  void run(void* const* args);
};
} // namespace

extern "C" bool kernel(void* const* args) {
  Program program;
  program.run(args);
  return !program.divided_by_zero;
}

)";

// The names of the external functions that are called, in order.
std::vector<std::string> functions_in(const StmtPtr& stmt) {
  std::vector<std::string> names;
  for (const auto& call : calls_in(stmt)) {
    if (std::ranges::find(names, call.function) == names.end()) {
      names.push_back(call.function);
    }
  }
  return names;
}

std::string source_of(const StmtPtr& stmt, const std::vector<BufPtr>& args) {
  std::string text = prelude;
  text += "void Program::run(void* const* args) {\n";
  for (size_t n = 0; n < args.size(); ++n) {
    const std::string type = cpp_type(args[n]->dtype);
    const std::string name = unique_name(args[n]->name, args[n]->id);
    text += c10::str(
        type, "* const __restrict ", name, " = static_cast<", type, "*>(args[", n, "]);\n");
  }
  const auto functions = functions_in(stmt);
  for (size_t n = 0; n < functions.size(); ++n) {
    text += c10::str(
        "const auto ", function_variable(functions[n]),
        " = reinterpret_cast<ExternalFunction>(args[", args.size() + n, "]);\n");
  }
  return text + to_string(stmt) + "}\n";
}

// A folder that disappears with its files.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tensorexpr-XXXXXX").string();
    TORCH_CHECK(::mkdtemp(pattern.data()) != nullptr, "cannot make the folder ", pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

bool on_path(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return std::filesystem::exists(program);
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (std::filesystem::exists(std::filesystem::path(folder) / program)) {
      return true;
    }
  }
  return false;
}

// The compiler's command, such as {"ccache", "g++"}.
std::vector<std::string> compiler() {
  if (const char* const named = std::getenv("CXX"); named != nullptr && *named != '\0') {
    std::istringstream text(named);
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
      words.push_back(word);
    }
    TORCH_CHECK(
        !words.empty() && on_path(words[0]), "CXX=", named, ": this compiler does not exist");
    return words;
  }
  for (const char* const name : {"c++", "g++", "clang++"}) {
    if (on_path(name)) {
      return {name};
    }
  }
  TORCH_CHECK(
      false, "found no C++ compiler to compile tensor expressions; install one, or set CXX");
}

// The exit status, with the output in `log`; -1 if the program did not start or was killed.
int run_program(std::vector<std::string> command, const std::string& log) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (auto& word : command) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  const bool ended = error == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status);
  return ended ? WEXITSTATUS(status) : -1;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Kernel compile(const std::string& source) {
  const TemporaryFolder folder;
  const std::string input = folder.file("kernel.cpp"), library = folder.file("kernel.so");
  std::ofstream(input) << source;
  auto command = compiler();
  // Without contraction, results have the evaluator's bits.
  for (const char* const flag :
       {"-std=c++20", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fwrapv",
        "-fPIC", "-shared", "-fopenmp-simd"}) {
    command.emplace_back(flag);
  }
  if (source.find("omp parallel") != std::string::npos) {
    command.emplace_back("-fopenmp");
  }
  command.insert(command.end(), {"-o", library, input});
  const std::string log = folder.file("log");
  const int status = run_program(command, log);
  TORCH_CHECK(status == 0, command[0], " failed on a tensor expression:\n", text_of(log));
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  TORCH_CHECK(handle != nullptr, "cannot load a compiled tensor expression: ", ::dlerror());
  return reinterpret_cast<Kernel>(::dlsym(handle, "kernel")); // stays loaded until the process ends
}

Kernel compiled(const std::string& source) {
  static std::mutex mutex;
  static std::unordered_map<std::string, Kernel> kernels; // by the hash of the text
  const std::lock_guard guard(mutex);
  const auto found = kernels.find(source);
  return found != kernels.end() ? found->second
                                : kernels.emplace(source, compile(source)).first->second;
}

} // namespace

CppCodeGen::CppCodeGen(StmtPtr stmt, const std::vector<BufHandle>& args)
    : CodeGen(std::move(stmt), args),
      source_(source_of(this->stmt(), this->args())),
      kernel_(compiled(source_)) {
  for (const auto& name : functions_in(this->stmt())) {
    functions_.push_back(reinterpret_cast<void*>(registered_external_function(name).function));
  }
}

void CppCodeGen::run(const std::vector<void*>& data) const {
  auto args = data;
  args.insert(args.end(), functions_.begin(), functions_.end());
  TORCH_CHECK_VALUE(kernel_(args.data()), "integer division by zero");
}

} // namespace torch::jit::tensorexpr
