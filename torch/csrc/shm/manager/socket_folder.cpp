#include <torch/csrc/shm/manager/socket_folder.h>

#include <c10/util/Exception.h>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace torch::shm {

namespace {

constexpr size_t kLongestParent = 64;

std::string parent() {
  const char* const chosen = std::getenv("TMPDIR");
  const std::string folder = chosen ? chosen : "";
  // The manager changes its working directory, so a relative path would become invalid.
  const bool usable = folder.starts_with('/') && folder.size() <= kLongestParent;
  return usable ? folder : "/tmp";
}

} // namespace

SocketFolder::SocketFolder() : folder_(parent() + "/torch-shm-dir-XXXXXX") {
  TORCH_CHECK(
      ::mkdtemp(folder_.data()), "unable to create a folder like ", folder_, ": ",
      std::strerror(errno));
}

SocketFolder::~SocketFolder() {
  ::unlink(socket().c_str());
  ::rmdir(folder_.c_str());
}

} // namespace torch::shm
