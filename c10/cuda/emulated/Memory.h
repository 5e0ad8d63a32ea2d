#pragma once

#include <c10/cuda/emulated/Settings.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cuda_emulation {

constexpr size_t kPage = 4096;

// The memory of one device.
//
// Each device has 64 GiB of addresses of its own, which are reserved and closed: neither host code
// nor another device's kernels can read them. The same bytes (a file in memory) are mapped a second
// time, and copies use that alias, so only a running kernel ever opens the addresses themselves,
// and only those of live blocks. mprotect() works on the whole process: another host thread that
// follows a device pointer while a kernel runs is not caught. Protection keys would close that gap
// per thread, but the processors and virtual machines that run the tests often have none.
//
// A block is a whole number of pages, and the page after it never opens, so running off the end of
// a block stops at once. Its last page is filled up with 0xFD, which is checked when the block is
// freed; the address sanitizer knows the exact end. New memory holds 0xFF: as a floating-point
// number that is NaN, as an index it is far out of range. Addresses are used again only after all
// 64 GiB went by, so that a pointer to a freed block stays a pointer to nothing.
//
// Within a block, an allocator can close a part that it took back (see Emulation.h).
//
// Addresses can also be reserved without memory, and backed by memory piece by piece. Neighbouring
// pieces of one reservation are one block.
class DeviceMemory {
 public:
  struct Block {
    size_t bytes;
    size_t extent; // bytes, rounded up to whole pages
    int device;
    uint64_t serial;      // which allocation of the process this was
    bool mapped = false;  // to reserved addresses; free() refuses it
    bool foreign = false; // another process's; free() refuses it too
  };

  DeviceMemory(int device, size_t capacity);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Null when the device has no room for the block.
  void* allocate(size_t bytes);
  // Empty if the block was intact, else what is wrong with it.
  std::string free(void* pointer);

  // Addresses without memory; 0 if there are not enough.
  uintptr_t reserve(size_t bytes);
  // False if this is no reservation, or memory is mapped to it.
  bool unreserve(uintptr_t start, size_t bytes);
  // Memory that has no address yet counts as used.
  bool take_physical(size_t bytes);
  void give_physical(size_t bytes) { used_ -= bytes; }
  // Maps memory that was taken to reserved addresses without memory, and the other way around;
  // whole pages. False if the range does not allow it.
  bool map_pages(uintptr_t start, size_t bytes);
  bool unmap_pages(uintptr_t start, size_t bytes);

  // Where another process finds the bytes of a block: a descriptor of this one, and the place in
  // that file.
  int file() const { return file_; }
  size_t place_of(const void* pointer) const;
  // A block over bytes of another process's file; null if there are not enough addresses.
  void* map_foreign(int file, size_t place, size_t bytes);
  // False if no such block starts there.
  bool unmap_foreign(void* pointer);

  bool contains(const void* pointer) const;
  // The block that holds the address, or null; sets `start`.
  const Block* find(const void* pointer, uintptr_t* start = nullptr) const;
  // Where the runtime itself finds the bytes of a device pointer.
  std::byte* alias(const void* pointer) const;
  // "byte 16 of a block of 256 bytes (allocation 3 of device 0)", or why the address has no block.
  std::string describe(const void* pointer) const;

  size_t free_bytes() const { return capacity_ - used_; }
  size_t capacity() const { return capacity_; }
  // What kernels may use, with other processes' blocks.
  size_t accessible_bytes() const { return used_ + foreign_; }
  int device() const { return device_; }
  const std::map<uintptr_t, Block>& blocks() const { return blocks_; }

  // Parts that an allocator took back, by address: how many bytes, and on which stream.
  struct ClosedPart {
    size_t bytes;
    std::string stream;
  };
  void close_part(void* pointer, size_t bytes, std::string stream);
  void open_part(void* pointer, size_t bytes);
  const ClosedPart* closed_part(const void* pointer) const;

  // Opens live blocks for reading, or also for writing, and closes all.
  void open(bool for_writing);
  void close();

 private:
  uintptr_t find_gap(size_t extent);
  // The first address from this one on with so many unused bytes behind it, or 0.
  uintptr_t gap_from(uintptr_t at, size_t needed) const;

  int device_;
  size_t capacity_;
  size_t used_ = 0;
  size_t foreign_ = 0;
  uintptr_t base_ = 0;
  std::byte* alias_ = nullptr;
  int file_ = -1;
  uintptr_t cursor_;
  std::map<uintptr_t, Block> blocks_;
  struct Reservation {
    size_t bytes;
    uint64_t serial;
  };
  std::map<uintptr_t, Reservation> reservations_;
  std::map<uintptr_t, ClosedPart> closed_;
};

// Host memory that the device reaches (cudaHostAlloc, cudaHostRegister). It is ordinary memory; the
// runtime keeps a list to tell it from pageable memory, whose copies have other rules.
class PinnedMemory {
 public:
  ~PinnedMemory();
  void* allocate(size_t bytes);
  bool free(void* pointer);
  // Memory of the caller; false if a part of it is pinned already.
  bool add(void* pointer, size_t bytes);
  bool remove(void* pointer);
  bool contains(const void* pointer) const;
  size_t count() const { return blocks_.size(); }

 private:
  struct Block {
    size_t bytes;
    bool owned;
  };
  std::map<uintptr_t, Block> blocks_;
};

} // namespace cuda_emulation
