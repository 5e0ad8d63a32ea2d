#include <ATen/MapAllocator.h>

#include <c10/util/Exception.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

namespace at {

namespace {

std::string reason(int error) {
  return std::string(std::strerror(error)) + " (" + std::to_string(error) + ")";
}

// Owns a file descriptor and closes it unless it is released.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// mmap rejects a length of zero.
size_t mapped_size(size_t bytes) {
  return std::max<size_t>(bytes, 1);
}

void* map(int fd, size_t bytes, const std::string& name) {
  void* const base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  TORCH_CHECK(
      base != MAP_FAILED, "unable to mmap ", bytes, " bytes from file <", name,
      ">: ", reason(errno));
  return base;
}

void release(void* mapping) {
  delete static_cast<MapAllocator*>(mapping);
}

} // namespace

// ---- by descriptor

MapAllocator::MapAllocator(int fd, size_t bytes) : fd_(fd), bytes_(bytes) {
  Descriptor owned(fd);
  base_ = map(fd, mapped_size(bytes), "file descriptor " + std::to_string(fd));
  fd_ = owned.release();
}

MapAllocator::~MapAllocator() {
  ::munmap(base_, mapped_size(bytes_));
  ::close(fd_);
}

c10::DataPtr MapAllocator::create(size_t bytes) {
  // Uses memfd rather than an unlinked object in /dev/shm, because containers give that file system
  // little space.
  Descriptor fd(::memfd_create("torch", MFD_CLOEXEC));
  TORCH_CHECK(fd.get() >= 0, "unable to create shared memory: ", reason(errno));
  TORCH_CHECK(
      ::ftruncate(fd.get(), static_cast<off_t>(mapped_size(bytes))) == 0,
      "unable to resize shared memory to ", bytes, " bytes: ", reason(errno));
  return open(fd.release(), bytes);
}

c10::DataPtr MapAllocator::open(int fd, size_t bytes) {
  auto mapping = std::unique_ptr<MapAllocator>(new MapAllocator(fd, bytes));
  void* const data = mapping->data();
  return {data, mapping.release(), &release, c10::Device(c10::kCPU)};
}

const MapAllocator* MapAllocator::fromDataPtr(const c10::DataPtr& data) {
  return data.cast_context<MapAllocator>(&release);
}

// ---- by name

RefcountedMapAllocator::RefcountedMapAllocator(std::string name, Mode mode, size_t bytes)
    : name_(std::move(name)),
      mapped_bytes_(sizeof(SharedObjectHeader) + bytes),
      counted_in_(::getpid()) {
  const int flags = mode == Mode::Create ? O_CREAT | O_EXCL : 0;
  const Descriptor fd(::shm_open(name_.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  TORCH_CHECK(
      fd.get() >= 0, "unable to open shared memory object <", name_,
      "> in read-write mode: ", reason(errno));
  if (mode == Mode::Create) {
    // Reserves the memory, so running out of it is an error here and not a bus error later.
    const int error = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(mapped_bytes_));
    if (error) ::shm_unlink(name_.c_str());
    TORCH_CHECK(
        !error, "unable to allocate shared memory(shm) for file <", name_, ">: ", reason(error));
  }
  base_ = map(fd.get(), mapped_bytes_, name_);
  incref();
}

RefcountedMapAllocator::~RefcountedMapAllocator() {
  // A forked process inherits the mapping, but the reference belongs to its parent.
  if (counted_in_ == ::getpid()) decref();
  ::munmap(base_, mapped_bytes_);
}

void RefcountedMapAllocator::incref() {
  header()->references.fetch_add(1);
}

void RefcountedMapAllocator::decref() {
  if (header()->references.fetch_sub(1) == 1) ::shm_unlink(name_.c_str());
}

std::string NewProcessWideShmHandle() {
  static std::atomic<uint64_t> counter = 0;
  // Random, because a forked process has the same counter and a pid can be reused.
  std::random_device entropy;
  return "/torch_" + std::to_string(::getpid()) + "_" + std::to_string(entropy()) + "_" +
      std::to_string(counter++);
}

} // namespace at
