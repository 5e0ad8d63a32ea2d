#pragma once

// Stable sorting and selection within one row. Values become unsigned keys with the same order (NaN
// last, the two zeros equal), so one radix sort handles every dtype. Keys of up to 32 bits are
// packed with their position in one 64-bit word; for wider keys the position is stored separately.

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>

namespace at::native {

struct WideKey {
  uint64_t key;
  uint64_t index;

  friend bool operator<(const WideKey& a, const WideKey& b) {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

// Converts a dtype to keys and back. Steps are in elements.
struct SortCodec {
  // Both return whether some value cannot be recovered from its key (a NaN or a negative zero).
  bool (*pack)(const void* in, int64_t step, int64_t n, bool descending, uint64_t* out);
  bool (*widen)(const void* in, int64_t step, int64_t n, bool descending, WideKey* out);
  void (*unpack)(const uint64_t* keys, int64_t n, bool descending, void* out, int64_t step);
  void (*narrow)(const WideKey* keys, int64_t n, bool descending, void* out, int64_t step);
  uint64_t (*least)(const uint64_t* keys, int64_t n);
  int key_bits;
};

// Returns null for a dtype without an order.
using sort_codec_fn = const SortCodec* (*)(c10::ScalarType dtype);
DECLARE_DISPATCH(sort_codec_fn, sort_codec_stub);

// Scratch memory of one thread; rows of up to kInline elements need no heap memory.
class SortScratch {
 public:
  uint64_t* words(int64_t count) {
    if (count <= kInline) {
      return inline_;
    }
    if (count > capacity_) {
      heap_ = std::make_unique_for_overwrite<uint64_t[]>(static_cast<size_t>(count));
      capacity_ = count;
    }
    return heap_.get();
  }

 private:
  static constexpr int64_t kInline = 512;
  uint64_t inline_[kInline];
  std::unique_ptr<uint64_t[]> heap_;
  int64_t capacity_ = 0;
};

// Moves the k least of `n` distinct keys, k < n, before the others and the next one to place k.
void select_key(uint64_t* keys, int64_t k, int64_t n);
void select_key(WideKey* keys, int64_t k, int64_t n);

// Sorts `n` keys by means of a second buffer; returns whichever of the two holds the result.
uint64_t* sort_keys(uint64_t* keys, uint64_t* other, int64_t n);
WideKey* sort_keys(WideKey* keys, WideKey* other, int64_t n);

struct SortRow {
  const void* in;
  int64_t in_step;
  int64_t n;
  void* values;
  int64_t values_step;
  int64_t* indices;
  int64_t indices_step;
  int64_t element_size;
};

void sort_row(const SortCodec& codec, const SortRow& row, bool descending, SortScratch& scratch);

// Selects the first k elements of the sorted row, in order.
void select_row(
    const SortCodec& codec, const SortRow& row, int64_t k, bool largest, SortScratch& scratch);

} // namespace at::native
