// torch_shm_manager: started by a process that creates named shared memory. It prints its handle
// and continues in the background, to remove the names that killed processes leave behind.
#include <c10/util/Exception.h>
#include <torch/csrc/shm/manager/server.h>
#include <torch/csrc/shm/manager/socket_folder.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

namespace {

void print(std::string_view text) {
  // On failure, the reader sees the pipe end early.
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
}

} // namespace

int main() {
  using namespace torch::shm;
  try {
    const SocketFolder folder;
    Server server(Socket::listen(folder.socket()));
    print(folder.socket());
    // Detaches from the terminal, the working directory and the standard streams; the initial
    // process exits.
    TORCH_CHECK(
        ::daemon(0, 0) == 0, "unable to continue in the background: ", std::strerror(errno));
    server.serve();
  } catch (const c10::Error& error) {
    print(error.what_without_backtrace());
    return 1;
  } catch (const std::exception& error) {
    print(error.what());
    return 1;
  }
  return 0;
}
