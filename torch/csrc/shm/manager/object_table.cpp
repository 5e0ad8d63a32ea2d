#include <torch/csrc/shm/manager/object_table.h>

#include <ATen/SharedObjectHeader.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace torch::shm {

namespace {

bool exists(const std::string& name) {
  const int fd = ::shm_open(name.c_str(), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

// The object's remaining reference count. An object whose creator died before setting its size has
// none.
int subtract(int fd, int references) {
  using at::SharedObjectHeader;
  struct stat status {};
  const bool whole =
      ::fstat(fd, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(SharedObjectHeader));
  if (!whole) return 0;
  void* const base =
      ::mmap(nullptr, sizeof(SharedObjectHeader), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) return 0;
  const int before = static_cast<SharedObjectHeader*>(base)->references.fetch_sub(references);
  ::munmap(base, sizeof(SharedObjectHeader));
  return before - references;
}

} // namespace

void ObjectTable::hold(const std::string& name) {
  ++holds_[name];
  if (holds_.size() > sweep_at_) sweep();
}

void ObjectTable::release(const std::string& name) {
  // The name stays in the table, because it may be in transit to another process.
  const auto at = holds_.find(name);
  if (at != holds_.end()) --at->second;
}

void ObjectTable::take_back(const std::string& name, int references) {
  const int fd = ::shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (fd >= 0) {
    if (subtract(fd, references) <= 0) ::shm_unlink(name.c_str());
    ::close(fd);
  }
  const auto at = holds_.find(name);
  if (at != holds_.end()) at->second -= references;
}

void ObjectTable::remove_all() {
  for (const auto& [name, holds] : holds_)
    ::shm_unlink(name.c_str());
  holds_.clear();
}

// Drops objects that their last holder has removed. Runs when the table has doubled, so the cost
// per object is constant.
void ObjectTable::sweep() {
  std::erase_if(holds_, [](const auto& row) { return row.second <= 0 && !exists(row.first); });
  sweep_at_ = std::max<size_t>(128, 2 * holds_.size());
}

} // namespace torch::shm
