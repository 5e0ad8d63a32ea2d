#include <c10/cuda/emulated/SharedMemory.h>
#include <c10/cuda/emulated/Sanitizer.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace cuda_emulation {

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAddresses = size_t{16} << 20;
constexpr size_t kAlignment = 16;
constexpr std::byte kAround{0xFD};

size_t rounded_up(size_t value, size_t to) {
  return (value + to - 1) / to * to;
}

} // namespace

SharedMemory::SharedMemory() {
  void* start =
      mmap(nullptr, kAddresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    std::perror("cuda_emulation: no addresses for shared memory");
    std::_Exit(2);
  }
  base_ = static_cast<std::byte*>(start);
  next_ = base_ + kPage;
}

SharedMemory::~SharedMemory() {
  start_launch(0, fresh_);
  munmap(base_, kAddresses);
}

void SharedMemory::start_launch(size_t limit, std::byte fresh) {
  for (const Array& array : arrays_) {
    unpoison(array.first, static_cast<size_t>(array.end - array.first));
    mprotect(array.first, static_cast<size_t>(array.end - array.first), PROT_NONE);
  }
  arrays_.clear();
  next_ = base_ + kPage;
  used_ = 0;
  limit_ = limit;
  fresh_ = fresh;
}

void SharedMemory::fill(const Array& array) const {
  unpoison(array.first, static_cast<size_t>(array.end - array.first));
  std::fill(array.first, array.data, kAround);
  std::fill(array.data, array.data + array.bytes, fresh_);
  std::fill(array.data + array.bytes, array.end, kAround);
  poison(array.first, static_cast<size_t>(array.data - array.first));
  poison(array.data + array.bytes, static_cast<size_t>(array.end - array.data) - array.bytes);
}

void SharedMemory::start_block() {
  for (const Array& array : arrays_) {
    fill(array);
  }
}

void* SharedMemory::variable(const void* site, size_t bytes, const char* name) {
  for (const Array& array : arrays_) {
    if (array.site == site) return array.data;
  }
  const size_t size = rounded_up(bytes, kAlignment);
  const size_t pages = rounded_up(std::max<size_t>(size, 1), kPage);
  if (used_ + size > limit_ || next_ + pages + kPage > base_ + kAddresses) return nullptr;
  used_ += size;
  const Array array{site, name, bytes, next_ + pages - size, next_, next_ + pages};
  if (mprotect(array.first, pages, PROT_READ | PROT_WRITE) != 0) return nullptr;
  next_ += pages + kPage;
  fill(array);
  arrays_.push_back(array);
  return array.data;
}

std::string SharedMemory::check() const {
  for (const Array& array : arrays_) {
    unpoison(array.first, static_cast<size_t>(array.end - array.first));
    const auto intact = [](std::byte value) { return value == kAround; };
    const std::byte* bad = std::find_if_not(array.first, array.data, intact);
    if (bad == array.data) {
      bad = std::find_if_not(array.data + array.bytes, array.end, intact);
      if (bad == array.end) continue;
    }
    return "wrote " + describe(bad);
  }
  return {};
}

bool SharedMemory::contains(const void* pointer) const {
  return pointer >= base_ && pointer < base_ + kAddresses;
}

std::string SharedMemory::describe(const void* pointer) const {
  // The page after an array is that array's; what lies before its data as well.
  const auto* at = static_cast<const std::byte*>(pointer);
  for (const Array& array : arrays_) {
    if (at < array.first || at >= array.end + kPage) continue;
    const auto offset = at - array.data;
    const char* where = offset < 0 ? ", before the start," : ", past the end,";
    return "byte " + std::to_string(offset) +
        (offset < 0 || offset >= static_cast<std::ptrdiff_t>(array.bytes) ? where : "") +
        " of the shared array '" + array.name + "' of " + std::to_string(array.bytes) + " bytes";
  }
  return "shared memory that holds no array";
}

} // namespace cuda_emulation
