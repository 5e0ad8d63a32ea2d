#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_emulation {

// The shared memory of the block that a host thread runs.
//
// Each array ends at a page that never opens, so its first byte past the end stops the kernel with
// the array's name, with or without the address sanitizer. Sizes that are no multiple of 16 leave
// up to 15 bytes before that page, and the page's beginning lies before the array: both hold 0xFD
// and are checked when the block ends. All blocks of a launch reuse the places.
class SharedMemory {
 public:
  SharedMemory();
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Forgets the arrays of the last launch. `limit` is what one block may have; `fresh` is the byte
  // that fills an array before a block runs.
  void start_launch(size_t limit, std::byte fresh);
  void start_block();
  // The array that is declared at `site`, or null when the block has no room for it.
  void* variable(const void* site, size_t bytes, const char* name);
  // Empty, or which array was overrun.
  std::string check() const;

  bool contains(const void* pointer) const;
  // "byte 128, past the end, of the shared array 'tile' of 128 bytes"
  std::string describe(const void* pointer) const;

 private:
  struct Array {
    const void* site;
    const char* name;
    size_t bytes;
    std::byte* data;
    std::byte* first; // start of its pages
    std::byte* end;   // the closed page
  };
  void fill(const Array& array) const;

  std::byte* base_;
  std::byte* next_;
  size_t used_ = 0;
  size_t limit_ = 0;
  std::byte fresh_{0xFF};
  std::vector<Array> arrays_;
};

} // namespace cuda_emulation
