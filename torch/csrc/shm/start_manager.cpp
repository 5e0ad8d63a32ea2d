#include <torch/csrc/shm/start_manager.h>

#include <c10/util/Exception.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace torch::shm {

namespace {

// A pipe for the program's standard output.
class FileActions {
 public:
  explicit FileActions(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Reads until the end, which comes when all writers have closed the pipe.
std::string read_all(int fd) {
  std::string text;
  std::array<char, 256> part;
  for (;;) {
    const ssize_t size = ::read(fd, part.data(), part.size());
    if (size > 0) {
      text.append(part.data(), static_cast<size_t>(size));
    } else if (size == 0 || errno != EINTR) {
      return text;
    }
  }
}

} // namespace

std::string start_manager(const std::string& program) {
  int ends[2];
  TORCH_CHECK(::pipe2(ends, O_CLOEXEC) == 0, "unable to create a pipe: ", std::strerror(errno));
  std::string name = program;
  char* const arguments[] = {name.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(
      &pid, program.c_str(), FileActions(ends[1]).get(), nullptr, arguments, ::environ);
  ::close(ends[1]);
  const std::string answer = error ? std::string() : read_all(ends[0]);
  ::close(ends[0]);
  TORCH_CHECK(!error, "unable to start \"", program, "\": ", std::strerror(error));
  // The manager itself has detached from this process; the child that is waited for exits at once.
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  TORCH_CHECK(
      !answer.empty() && answer.front() == '/', "no response from torch_shm_manager at \"", program,
      "\"", answer.empty() ? "" : ": ", answer);
  return answer;
}

} // namespace torch::shm
