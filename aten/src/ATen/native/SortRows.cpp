#include <ATen/native/SortRows.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace at::native {

DEFINE_DISPATCH(sort_codec_stub);

namespace {

constexpr int64_t kRadixFrom = 96;      // shorter rows are sorted with comparisons
constexpr int64_t kPartsFrom = 1 << 17; // longer rows are sorted by all threads
constexpr int kDigitBits = 8;
constexpr int kBuckets = 1 << kDigitBits;
constexpr int kMaxDigits = 8;

inline uint64_t key_of(uint64_t packed) {
  return packed >> 32;
}

inline uint64_t key_of(const WideKey& wide) {
  return wide.key;
}

inline int64_t index_of(uint64_t packed) {
  return static_cast<int64_t>(packed & 0xffffffff);
}

inline int64_t index_of(const WideKey& wide) {
  return static_cast<int64_t>(wide.index);
}

// The shifts of the digits that are not the same in all keys.
template <class Key>
int varying_digits(const Key* keys, int64_t n, int (&shifts)[kMaxDigits]) {
  uint64_t varying = 0;
  const uint64_t first = key_of(keys[0]);
  for (int64_t i = 1; i < n; ++i) {
    varying |= key_of(keys[i]) ^ first;
  }
  int count = 0;
  for (int d = 0; d < kMaxDigits; ++d) {
    if ((varying >> (d * kDigitBits)) & (kBuckets - 1)) {
      shifts[count++] = d * kDigitBits;
    }
  }
  return count;
}

// Radix sort, least significant digit first. Digits that all keys share are skipped. Returns
// whichever of the two buffers holds the result.
template <class Key>
Key* radix_sort(Key* keys, Key* other, int64_t n) {
  int shifts[kMaxDigits];
  const int digits = varying_digits(keys, n, shifts);
  uint32_t counts[kMaxDigits][kBuckets];
  std::memset(counts, 0, sizeof(counts[0]) * static_cast<size_t>(digits));
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t key = key_of(keys[i]);
    for (int d = 0; d < digits; ++d) {
      ++counts[d][(key >> shifts[d]) & (kBuckets - 1)];
    }
  }
  for (int d = 0; d < digits; ++d) {
    const int shift = shifts[d];
    const auto digit_of = [shift](const Key& k) { return (key_of(k) >> shift) & (kBuckets - 1); };
    uint32_t next = 0;
    for (int b = 0; b < kBuckets; ++b) {
      const uint32_t count = counts[d][b];
      counts[d][b] = next;
      next += count;
    }
    for (int64_t i = 0; i < n; ++i) {
      other[counts[d][digit_of(keys[i])]++] = keys[i];
    }
    std::swap(keys, other);
  }
  return keys;
}

// The same with one part of the keys per thread: each part counts its digits and then moves its
// keys to their places behind those of the parts before it.
template <class Key>
Key* radix_sort_in_parts(Key* keys, Key* other, int64_t n) {
  int shifts[kMaxDigits];
  const int digits = varying_digits(keys, n, shifts);
  const int64_t parts = at::get_num_threads();
  const int64_t size = at::divup(n, parts);
  std::vector<uint32_t> counts(static_cast<size_t>(parts * kBuckets));
  for (int d = 0; d < digits; ++d) {
    const int shift = shifts[d];
    const auto each_part = [&](const auto& visit) {
      at::parallel_for(0, parts, 1, [&](int64_t first, int64_t last) {
        for (int64_t part = first; part < last; ++part) {
          uint32_t* of_part = counts.data() + part * kBuckets;
          for (int64_t i = part * size; i < std::min(n, (part + 1) * size); ++i) {
            visit(of_part[(key_of(keys[i]) >> shift) & (kBuckets - 1)], keys[i]);
          }
        }
      });
    };
    std::fill(counts.begin(), counts.end(), 0);
    each_part([](uint32_t& count, const Key&) { ++count; });
    uint32_t next = 0;
    for (int64_t b = 0; b < kBuckets; ++b) {
      for (int64_t part = 0; part < parts; ++part) {
        next += std::exchange(counts[static_cast<size_t>(part * kBuckets + b)], next);
      }
    }
    each_part([&](uint32_t& place, const Key& key) { other[place++] = key; });
    std::swap(keys, other);
  }
  return keys;
}

// The position makes every key distinct, so an unstable comparison sort gives a stable result.
template <class Key>
Key* sort_distinct(Key* keys, Key* other, int64_t n) {
  if (n >= kPartsFrom && at::get_num_threads() > 1 && !at::in_parallel_region()) {
    return radix_sort_in_parts(keys, other, n);
  }
  if (n >= kRadixFrom) {
    return radix_sort(keys, other, n);
  }
  std::sort(keys, keys + n);
  return keys;
}

// A comparison with a pivot is unpredictable, so the loop that moves the keys does not branch on
// it. The library, whose worst case is bounded, selects among few keys and after bad pivots.
template <class Key>
void select_distinct(Key* keys, int64_t k, int64_t n) {
  constexpr int64_t kFew = 32;
  for (int round = 0; n > kFew && round < 32; ++round) {
    const Key a = keys[0], b = keys[n / 2], c = keys[n - 1];
    const Key pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    int64_t less = 0;
    for (int64_t i = 0; i < n; ++i) {
      const Key key = keys[i];
      keys[i] = keys[less];
      keys[less] = key;
      less += static_cast<int64_t>(key < pivot);
    }
    if (k < less) {
      n = less;
    } else {
      keys += less;
      k -= less;
      n -= less;
    }
  }
  std::nth_element(keys, keys + k, keys + n);
}

} // namespace

void select_key(uint64_t* keys, int64_t k, int64_t n) {
  select_distinct(keys, k, n);
}

void select_key(WideKey* keys, int64_t k, int64_t n) {
  select_distinct(keys, k, n);
}

uint64_t* sort_keys(uint64_t* keys, uint64_t* other, int64_t n) {
  return sort_distinct(keys, other, n);
}

WideKey* sort_keys(WideKey* keys, WideKey* other, int64_t n) {
  return sort_distinct(keys, other, n);
}

namespace {

template <class Bytes>
void gather_values(const SortRow& row, int64_t count) {
  const Bytes* from = static_cast<const Bytes*>(row.in);
  Bytes* to = static_cast<Bytes*>(row.values);
  for (int64_t i = 0; i < count; ++i) {
    to[i * row.values_step] = from[row.indices[i * row.indices_step] * row.in_step];
  }
}

void gather_values(const SortRow& row, int64_t count) {
  switch (row.element_size) {
    case 1:
      return gather_values<uint8_t>(row, count);
    case 2:
      return gather_values<uint16_t>(row, count);
    case 4:
      return gather_values<uint32_t>(row, count);
    default:
      return gather_values<uint64_t>(row, count);
  }
}

template <class Key>
void write_indices(const Key* keys, const SortRow& row, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    row.indices[i * row.indices_step] = index_of(keys[i]);
  }
}

// The key types with their decoders and encoders, for the two widths.
struct Packed {
  using Key = uint64_t;
  static bool encode(const SortCodec& c, const SortRow& r, bool descending, Key* out) {
    return c.pack(r.in, r.in_step, r.n, descending, out);
  }
  static void decode(const SortCodec& c, const Key* keys, const SortRow& r, int64_t n, bool desc) {
    c.unpack(keys, n, desc, r.values, r.values_step);
  }
  static Key moved(Key key, int64_t by) { return key + static_cast<uint64_t>(by); }
  static Key least(const SortCodec& c, const Key* keys, int64_t n) { return c.least(keys, n); }
};

struct Wide {
  using Key = WideKey;
  static bool encode(const SortCodec& c, const SortRow& r, bool descending, Key* out) {
    return c.widen(r.in, r.in_step, r.n, descending, out);
  }
  static void decode(const SortCodec& c, const Key* keys, const SortRow& r, int64_t n, bool desc) {
    c.narrow(keys, n, desc, r.values, r.values_step);
  }
  static Key moved(Key key, int64_t by) { return {key.key, key.index + static_cast<uint64_t>(by)}; }
  static Key least(const SortCodec&, const Key* keys, int64_t n) {
    return *std::min_element(keys, keys + n);
  }
};

template <class Form>
void write_row(
    const SortCodec& codec, const typename Form::Key* keys, const SortRow& row, int64_t count,
    bool descending, bool lossy) {
  write_indices(keys, row, count);
  if (lossy) {
    gather_values(row, count);
  } else {
    Form::decode(codec, keys, row, count, descending);
  }
}

constexpr size_t kWord = sizeof(uint64_t);

template <class Form>
void sort_as(const SortCodec& codec, const SortRow& row, bool descending, SortScratch& scratch) {
  using Key = typename Form::Key;
  constexpr int64_t words = sizeof(Key) / kWord;
  Key* keys = reinterpret_cast<Key*>(scratch.words(2 * words * row.n));
  const bool lossy = Form::encode(codec, row, descending, keys);
  keys = sort_keys(keys, keys + row.n, row.n);
  write_row<Form>(codec, keys, row, row.n, descending, lossy);
}

// Keeps the k least keys so far in a heap; a new key must be below the root.
template <class Key>
void offer(Key* heap, int64_t k, const Key& key) {
  if (key < heap[0]) {
    std::pop_heap(heap, heap + k);
    heap[k - 1] = key;
    std::push_heap(heap, heap + k);
  }
}

// For small k: encodes the row block by block and keeps only the k best.
template <class Form>
bool select_by_heap(
    const SortCodec& codec, const SortRow& row, int64_t k, bool largest, typename Form::Key* heap) {
  constexpr int64_t kBlock = 128;
  typename Form::Key block[kBlock];
  SortRow part = row;
  part.n = k;
  bool lossy = Form::encode(codec, part, largest, heap);
  std::make_heap(heap, heap + k);
  for (int64_t first = k; first < row.n; first += kBlock) {
    part.in = static_cast<const char*>(row.in) + first * row.in_step * row.element_size;
    part.n = std::min(kBlock, row.n - first);
    lossy |= Form::encode(codec, part, largest, block);
    const auto least = Form::least(codec, block, part.n);
    if (heap[0] < least) {
      continue;
    }
    for (int64_t i = 0; i < part.n; ++i) {
      offer(heap, k, Form::moved(block[i], first));
    }
  }
  std::sort_heap(heap, heap + k);
  return lossy;
}

template <class Form>
void select_as(
    const SortCodec& codec, const SortRow& row, int64_t k, bool largest, SortScratch& scratch) {
  using Key = typename Form::Key;
  constexpr int64_t words = sizeof(Key) / kWord;
  const bool few = k * 16 <= row.n;
  Key* keys = reinterpret_cast<Key*>(scratch.words(words * (few ? k : row.n)));
  bool lossy = false;
  if (few) {
    lossy = select_by_heap<Form>(codec, row, k, largest, keys);
  } else {
    lossy = Form::encode(codec, row, largest, keys);
    if (k < row.n) {
      select_key(keys, k, row.n);
    }
    std::sort(keys, keys + k);
  }
  write_row<Form>(codec, keys, row, k, largest, lossy);
}

bool fits_packed(const SortCodec& codec, int64_t n) {
  return codec.key_bits <= 32 && n <= int64_t{0xffffffff};
}

} // namespace

void sort_row(const SortCodec& codec, const SortRow& row, bool descending, SortScratch& scratch) {
  if (fits_packed(codec, row.n)) {
    sort_as<Packed>(codec, row, descending, scratch);
  } else {
    sort_as<Wide>(codec, row, descending, scratch);
  }
}

void select_row(
    const SortCodec& codec, const SortRow& row, int64_t k, bool largest, SortScratch& scratch) {
  if (k == 0) {
    return;
  }
  if (fits_packed(codec, row.n)) {
    select_as<Packed>(codec, row, k, largest, scratch);
  } else {
    select_as<Wide>(codec, row, k, largest, scratch);
  }
}

} // namespace at::native
