#include <c10/cuda/emulated/Memory.h>
#include <c10/cuda/emulated/Sanitizer.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_emulation {

namespace {

constexpr size_t kAddresses = size_t{1} << 36;
constexpr int kFreshByte = 0xFF;
constexpr int kTailByte = 0xFD;
uint64_t last_serial = 0; // the newest allocation's or reservation's

[[noreturn]] void no_memory(const char* what) {
  std::perror(what);
  std::_Exit(2);
}

std::byte* map(int file, int access) {
  void* start = mmap(nullptr, kAddresses, access, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (start == MAP_FAILED) no_memory("cuda_emulation: cannot reserve addresses");
  return static_cast<std::byte*>(start);
}

// In the place of what is mapped at these addresses.
void map_at(void* start, size_t bytes, int access, int file, size_t place) {
  const void* mapped = mmap(
      start, bytes, access, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file,
      static_cast<off_t>(place));
  if (mapped == MAP_FAILED) no_memory("cuda_emulation: cannot map a block");
}

size_t rounded_up(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}
uintptr_t address(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}
void* pointer_to(uintptr_t at) {
  return reinterpret_cast<void*>(at); // NOLINT(performance-no-int-to-ptr)
}
void protect(uintptr_t start, size_t bytes, int access) {
  if (bytes != 0 && mprotect(pointer_to(start), bytes, access) != 0) {
    no_memory("cuda_emulation: mprotect");
  }
}

// The last entry at or before the address that reaches beyond it.
template <typename Map, typename Size>
typename Map::const_iterator holding(const Map& map, uintptr_t at, Size size) {
  auto after = map.upper_bound(at);
  if (after == map.begin()) return map.end();
  --after;
  return at < after->first + size(after->second) ? after : map.end();
}

} // namespace

DeviceMemory::DeviceMemory(int device, size_t capacity) : device_(device), capacity_(capacity) {
  file_ = memfd_create("cuda_emulation", MFD_CLOEXEC);
  if (file_ < 0 || ftruncate(file_, kAddresses) != 0) no_memory("cuda_emulation: memfd_create");
  base_ = address(map(file_, PROT_NONE));
  alias_ = map(file_, PROT_READ | PROT_WRITE);
  cursor_ = base_ + kPage;
}

DeviceMemory::~DeviceMemory() {
  unpoison(pointer_to(base_), cursor_ - base_);
  munmap(pointer_to(base_), kAddresses);
  munmap(alias_, kAddresses);
  ::close(file_);
}

uintptr_t DeviceMemory::gap_from(uintptr_t at, size_t needed) const {
  while (at + needed <= base_ + kAddresses) {
    uintptr_t end = 0; // where an obstacle ends
    const auto look = [&](const auto& map, auto size) {
      auto next = map.lower_bound(at + needed);
      if (next == map.begin()) return;
      --next;
      const uintptr_t after = next->first + size(next->second) + kPage;
      if (after > at) end = std::max(end, after);
    };
    look(blocks_, [](const Block& block) { return block.extent; });
    look(reservations_, [](const Reservation& reservation) { return reservation.bytes; });
    if (end == 0) return at;
    at = end;
  }
  return 0;
}

uintptr_t DeviceMemory::find_gap(size_t extent) {
  const size_t needed = extent + kPage; // with the page that stays closed
  const uintptr_t found = gap_from(cursor_, needed);
  return found != 0 ? found : gap_from(base_ + kPage, needed);
}

void* DeviceMemory::allocate(size_t bytes) {
  const size_t extent = rounded_up(std::max<size_t>(bytes, 1));
  if (extent > free_bytes()) return nullptr;
  const uintptr_t start = find_gap(extent);
  if (start == 0) return nullptr;
  cursor_ = start + extent + kPage;
  used_ += extent;
  blocks_[start] = {bytes, extent, device_, ++last_serial};
  std::byte* data = alias_ + (start - base_);
  std::memset(data, kFreshByte, bytes);
  std::memset(data + bytes, kTailByte, extent - bytes);
  unpoison(pointer_to(start), extent);
  poison(pointer_to(start + bytes), extent - bytes);
  return pointer_to(start);
}

std::string DeviceMemory::free(void* pointer) {
  const auto block = blocks_.find(address(pointer));
  if (block == blocks_.end()) return "it is not the start of a block: " + describe(pointer);
  if (block->second.mapped) return "it was not allocated but mapped: " + describe(pointer);
  if (block->second.foreign) return "it belongs to another process: " + describe(pointer);
  const Block& freed = block->second;
  const size_t bytes = freed.bytes, extent = freed.extent;
  std::string problem;
  const std::byte* data = alias(pointer);
  for (size_t i = bytes; i < extent; ++i) {
    if (data[i] != std::byte{kTailByte}) {
      problem = "a kernel wrote byte " + std::to_string(i) + " of a block of " +
          std::to_string(bytes) + " bytes (allocation " + std::to_string(freed.serial) +
          " of device " + std::to_string(freed.device) + ")";
      break;
    }
  }
  fallocate(
      file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(block->first - base_),
      static_cast<off_t>(extent));
  poison(pointer, extent);
  closed_.erase(closed_.lower_bound(block->first), closed_.lower_bound(block->first + extent));
  used_ -= extent;
  blocks_.erase(block);
  return problem;
}

uintptr_t DeviceMemory::reserve(size_t bytes) {
  const uintptr_t start = find_gap(bytes);
  if (start == 0) return 0;
  cursor_ = start + bytes + kPage;
  reservations_[start] = {bytes, ++last_serial};
  return start;
}

bool DeviceMemory::unreserve(uintptr_t start, size_t bytes) {
  const auto found = reservations_.find(start);
  if (found == reservations_.end() || found->second.bytes != bytes) return false;
  const auto block = blocks_.lower_bound(start);
  if (block != blocks_.end() && block->first < start + bytes) return false;
  reservations_.erase(found);
  return true;
}

bool DeviceMemory::take_physical(size_t bytes) {
  if (bytes > free_bytes()) return false;
  used_ += bytes;
  return true;
}

bool DeviceMemory::map_pages(uintptr_t start, size_t bytes) {
  const auto around = holding(reservations_, start, [](const Reservation& r) { return r.bytes; });
  if (around == reservations_.end() || start + bytes > around->first + around->second.bytes) {
    return false;
  }
  auto next = blocks_.lower_bound(start);
  if (next != blocks_.end() && next->first < start + bytes) return false;
  if (find(pointer_to(start)) != nullptr) return false;
  std::memset(alias_ + (start - base_), kFreshByte, bytes);
  unpoison(pointer_to(start), bytes);
  Block block{bytes, bytes, device_, around->second.serial, true};
  if (next != blocks_.end() && next->first == start + bytes &&
      next->second.serial == block.serial) {
    block.bytes = block.extent = bytes + next->second.extent;
    next = blocks_.erase(next);
  }
  if (next != blocks_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.extent == start && before->second.serial == block.serial) {
      before->second.bytes = before->second.extent += block.extent;
      return true;
    }
  }
  blocks_[start] = block;
  return true;
}

bool DeviceMemory::unmap_pages(uintptr_t start, size_t bytes) {
  uintptr_t first = 0;
  const Block* found = find(pointer_to(start), &first);
  if (found == nullptr || !found->mapped || start + bytes > first + found->extent) return false;
  const Block block = *found;
  const size_t before = start - first;
  const size_t after = first + block.extent - (start + bytes);
  blocks_.erase(first);
  if (before != 0) blocks_[first] = {before, before, device_, block.serial, true};
  if (after != 0) blocks_[start + bytes] = {after, after, device_, block.serial, true};
  open_part(pointer_to(start), bytes); // nothing of it stays on the list of closed parts
  fallocate(
      file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(start - base_),
      static_cast<off_t>(bytes));
  poison(pointer_to(start), bytes);
  return true;
}

size_t DeviceMemory::place_of(const void* pointer) const {
  return address(pointer) - base_;
}

void* DeviceMemory::map_foreign(int file, size_t place, size_t bytes) {
  const size_t extent = rounded_up(bytes);
  const uintptr_t start = find_gap(extent);
  if (start == 0) return nullptr;
  cursor_ = start + extent + kPage;
  map_at(pointer_to(start), extent, PROT_NONE, file, place);
  map_at(alias(pointer_to(start)), extent, PROT_READ | PROT_WRITE, file, place);
  Block block{bytes, extent, device_, ++last_serial};
  block.foreign = true;
  blocks_[start] = block;
  foreign_ += extent;
  unpoison(pointer_to(start), extent);
  poison(pointer_to(start + bytes), extent - bytes);
  return pointer_to(start);
}

bool DeviceMemory::unmap_foreign(void* pointer) {
  const auto block = blocks_.find(address(pointer));
  if (block == blocks_.end() || !block->second.foreign) return false;
  const size_t extent = block->second.extent, place = place_of(pointer);
  map_at(pointer, extent, PROT_NONE, file_, place);
  map_at(alias(pointer), extent, PROT_READ | PROT_WRITE, file_, place);
  poison(pointer, extent);
  foreign_ -= extent;
  blocks_.erase(block);
  return true;
}

bool DeviceMemory::contains(const void* pointer) const {
  return address(pointer) >= base_ && address(pointer) < base_ + kAddresses;
}

const DeviceMemory::Block* DeviceMemory::find(const void* pointer, uintptr_t* start) const {
  const auto found =
      holding(blocks_, address(pointer), [](const Block& block) { return block.extent; });
  if (found == blocks_.end()) return nullptr;
  if (start != nullptr) *start = found->first;
  return &found->second;
}

std::byte* DeviceMemory::alias(const void* pointer) const {
  return alias_ + (address(pointer) - base_);
}

std::string DeviceMemory::describe(const void* pointer) const {
  uintptr_t start = 0;
  const Block* block = find(pointer, &start);
  std::string text;
  if (block == nullptr) {
    const auto after = blocks_.upper_bound(address(pointer));
    if (after == blocks_.begin()) {
      return "an address of device " + std::to_string(device_) + " that holds no block";
    }
    start = std::prev(after)->first;
    block = &std::prev(after)->second;
    text = "byte " + std::to_string(address(pointer) - start) + ", past the end,";
  } else {
    text = "byte " + std::to_string(address(pointer) - start);
  }
  text += " of a block of " + std::to_string(block->bytes) + " bytes (allocation " +
      std::to_string(block->serial) + " of device " + std::to_string(device_) + ")";
  if (const ClosedPart* part = closed_part(pointer)) {
    text += ", in a part of " + std::to_string(part->bytes) + " bytes that was freed on " +
        part->stream;
  }
  return text;
}

void DeviceMemory::close_part(void* pointer, size_t bytes, std::string stream) {
  std::memset(alias(pointer), kFreshByte, bytes);
  poison(pointer, bytes);
  closed_[address(pointer)] = {bytes, std::move(stream)};
}

void DeviceMemory::open_part(void* pointer, size_t bytes) {
  // The part may be a piece of a larger one, or of several that were merged.
  const uintptr_t from = address(pointer);
  const uintptr_t to = from + bytes;
  auto part = closed_.upper_bound(from);
  if (part != closed_.begin()) --part;
  while (part != closed_.end() && part->first < to) {
    const uintptr_t start = part->first;
    const ClosedPart old = part->second;
    if (start + old.bytes <= from) {
      ++part;
      continue;
    }
    part = closed_.erase(part);
    if (start < from) closed_[start] = {from - start, old.stream};
    if (start + old.bytes > to) closed_[to] = {start + old.bytes - to, old.stream};
  }
  unpoison(pointer, bytes);
}

const DeviceMemory::ClosedPart* DeviceMemory::closed_part(const void* pointer) const {
  const auto found =
      holding(closed_, address(pointer), [](const ClosedPart& part) { return part.bytes; });
  return found == closed_.end() ? nullptr : &found->second;
}

void DeviceMemory::open(bool for_writing) {
  const int access = for_writing ? PROT_READ | PROT_WRITE : PROT_READ;
  for (const auto& [start, block] : blocks_) {
    protect(start, block.extent, access);
  }
  for (const auto& [start, part] : closed_) {
    const uintptr_t first = rounded_up(start);
    const uintptr_t end = (start + part.bytes) / kPage * kPage;
    if (end > first) protect(first, end - first, PROT_NONE);
  }
}

void DeviceMemory::close() {
  for (const auto& [start, block] : blocks_) {
    protect(start, block.extent, PROT_NONE);
  }
}

PinnedMemory::~PinnedMemory() {
  for (const auto& [start, block] : blocks_) {
    if (block.owned) std::free(pointer_to(start));
  }
}

void* PinnedMemory::allocate(size_t bytes) {
  void* data = std::aligned_alloc(kPage, rounded_up(std::max<size_t>(bytes, 1)));
  if (data != nullptr) blocks_[address(data)] = {bytes, true};
  return data;
}

bool PinnedMemory::free(void* pointer) {
  const auto found = blocks_.find(address(pointer));
  if (found == blocks_.end() || !found->second.owned) return false;
  blocks_.erase(found);
  std::free(pointer);
  return true;
}

bool PinnedMemory::add(void* pointer, size_t bytes) {
  const auto next = blocks_.lower_bound(address(pointer));
  const bool overlaps = next != blocks_.end() && next->first < address(pointer) + bytes;
  if (overlaps || contains(pointer)) return false;
  blocks_[address(pointer)] = {bytes, false};
  return true;
}

bool PinnedMemory::remove(void* pointer) {
  const auto found = blocks_.find(address(pointer));
  if (found == blocks_.end() || found->second.owned) return false;
  blocks_.erase(found);
  return true;
}

bool PinnedMemory::contains(const void* pointer) const {
  return holding(blocks_, address(pointer), [](const Block& block) {
           return std::max<size_t>(block.bytes, 1);
         }) != blocks_.end();
}

} // namespace cuda_emulation
