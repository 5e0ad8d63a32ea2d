// Copies between any two dtypes and strides. The common pairs are vectorized here; pairs with
// 8-bit floats convert in blocks, pairs with complex or 16 to 64 bit unsigned types one element at
// a time.

#include <ATen/TensorIterator.h>
#include <ATen/native/Copy.h>
#include <ATen/native/cpu/ConvertLoops.h>
#include <ATen/native/cpu/KernelTypes.h>
#include <ATen/native/cpu/Loops.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

struct Bytes16 {
  uint64_t words[2];
};

template <typename T>
C10_ALWAYS_INLINE void copy_one(char* to, const char* from) {
  T element;
  std::memcpy(&element, from, sizeof(T));
  std::memcpy(to, &element, sizeof(T));
}

template <typename T>
void copy_run(char* out, const char* in, int64_t out_stride, int64_t in_stride, int64_t n) {
  constexpr int64_t kSize = sizeof(T);
  if (out_stride == kSize && in_stride == kSize) {
    std::memcpy(out, in, n * kSize);
  } else if (out_stride == kSize) {
    // A loop of one load and one store takes twice the time where it crosses a line of code.
#pragma GCC unroll 4
    for (int64_t i = 0; i < n; ++i) {
      copy_one<T>(out + i * kSize, in + i * in_stride);
    }
  } else {
#pragma GCC unroll 4
    for (int64_t i = 0; i < n; ++i) {
      copy_one<T>(out + i * out_stride, in + i * in_stride);
    }
  }
}

// Tiling keeps each cache line of the source until its next element is needed.
template <typename T>
void copy_tiles_by_element(
    char* out, const char* in, const int64_t* strides, int64_t n0, int64_t n1) {
  constexpr int64_t kSize = sizeof(T);
  constexpr int64_t kRows = 64 / kSize < 4 ? 4 : 64 / kSize;
  for (int64_t i = 0; i < n0; i += kRows) {
    const int64_t rows = std::min(kRows, n0 - i);
    for (int64_t j = 0; j < n1; ++j) {
      char* to = out + j * strides[2] + i * kSize;
      const char* from = in + j * kSize + i * strides[1];
      if (rows == kRows) {
        for (int64_t k = 0; k < kRows; ++k) {
          copy_one<T>(to + k * kSize, from + k * strides[1]);
        }
      } else {
        for (int64_t k = 0; k < rows; ++k) {
          copy_one<T>(to + k * kSize, from + k * strides[1]);
        }
      }
    }
  }
}

// Elements of two adjacent rows, joined to words.
C10_ALWAYS_INLINE auto joined_rows(const char* from, int64_t step) {
  constexpr int L = kLanes<float>;
  const auto even = at::vec::load<uint16_t, L>(reinterpret_cast<const uint16_t*>(from));
  const auto odd = at::vec::load<uint16_t, L>(reinterpret_cast<const uint16_t*>(from + step));
  return [&]<int... j>(std::integer_sequence<int, j...>) {
    return __builtin_shufflevector(even, odd, (j % 2 == 0 ? j / 2 : L + j / 2)...);
  }
  (std::make_integer_sequence<int, 2 * L>{});
}

// Elements of 2 bytes are transposed as words of two rows.
void copy_tiles_of_pairs(
    char* out, const char* in, const int64_t* strides, int64_t n0, int64_t n1) {
  constexpr int64_t L = kLanes<float>;
  const int64_t rows = n0 / (2 * L) * 2 * L, cols = n1 / L * L;
  for (int64_t i = 0; i < rows; i += 2 * L) {
    for (int64_t j = 0; j < cols; j += L) {
      alignas(64) float words[L * L];
      for (int64_t k = 0; k < L; ++k) {
        const auto row = joined_rows(in + (i + 2 * k) * strides[1] + j * 2, strides[1]);
        std::memcpy(words + k * L, &row, sizeof(row));
      }
      copy_block_transposed<float>(words, L, L, L, [&](int64_t k) {
        return reinterpret_cast<float*>(out + (j + k) * strides[2] + i * 2);
      });
    }
    copy_tiles_by_element<uint16_t>(
        out + cols * strides[2] + i * 2, in + i * strides[1] + cols * 2, strides, 2 * L, n1 - cols);
  }
  copy_tiles_by_element<uint16_t>(out + rows * 2, in + rows * strides[1], strides, n0 - rows, n1);
}

// A transposed copy touches one cache line of the source per element. Wide registers transpose
// elements of 2, 4 and 8 bytes.
template <typename T>
void copy_tiles(char* out, const char* in, const int64_t* strides, int64_t n0, int64_t n1) {
  constexpr int64_t kSize = sizeof(T);
  using Element = std::conditional_t<kSize == 4, float, double>;
  constexpr bool kWide = sizeof(Lanes<Element>) > 16;
  if constexpr (kSize == sizeof(Element) && kWide) {
    copy_transposed(
        reinterpret_cast<const Element*>(in), strides[1] / kSize, n0, n1,
        reinterpret_cast<Element*>(out), strides[2] / kSize);
  } else if constexpr (kSize == 2 && kWide) {
    copy_tiles_of_pairs(out, in, strides, n0, n1);
  } else {
    copy_tiles_by_element<T>(out, in, strides, n0, n1);
  }
}

// `reach` is the distance of the last element of `in` from the first.
template <typename T>
bool are_apart(const char* out, int64_t out_bytes, const char* in, int64_t reach) {
  const char* const last = in + reach;
  return out + out_bytes <= std::min(in, last) ||
      std::max(in, last) + static_cast<int64_t>(sizeof(T)) <= out;
}

// Copies each of `n1` elements `n0` times, without gaps, in registers of kBytes. One that goes
// beyond the end of a run is stored as a whole, because the next run overwrites the rest.
template <typename T, int64_t kBytes>
void repeat_elements(char* out, const char* in, int64_t in_stride, int64_t n0, int64_t n1) {
  constexpr int64_t kSize = sizeof(T);
  using V = at::vec::Lanes<T, kBytes / kSize>;
  const int64_t run = n0 * kSize;
  const auto broadcast = [&](int64_t j) {
    T element;
    std::memcpy(&element, in + j * in_stride, kSize);
    return at::vec::splat<V>(element);
  };
  const auto save = [](char* to, V v) { std::memcpy(to, &v, kBytes); };
  int64_t j = 0;
  if (run <= kBytes) {
    const int64_t whole = n1 - (kBytes + run - 1) / run + 1;
#pragma GCC unroll 4
    for (; j < whole; ++j) {
      save(out + j * run, broadcast(j));
    }
  } else {
    for (; j < n1 - 1; ++j) {
      const V v = broadcast(j);
      for (int64_t i = 0; i < run; i += kBytes) {
        save(out + j * run + i, v);
      }
    }
  }
  for (; j < n1; ++j) {
    const V v = broadcast(j);
    int64_t i = 0;
    for (; i + kBytes <= run; i += kBytes) {
      save(out + j * run + i, v);
    }
    std::memcpy(out + j * run + i, &v, run - i);
  }
}

template <typename T>
void copy_bits(TensorIterator& iter) {
  constexpr int64_t kSize = sizeof(T);
  iter.for_each_2d([](char** data, const int64_t* strides, int64_t n0, int64_t n1) {
    if constexpr (kSize <= 8) {
      const int64_t run = n0 * kSize;
      const bool repeats =
          strides[0] == kSize && strides[1] == 0 && n0 > 1 && (n1 == 1 || strides[2] == run);
      if (repeats && are_apart<T>(data[0], n1 * run, data[1], (n1 - 1) * strides[3])) {
        constexpr int64_t kWide = at::vec::kVectorBytes;
        const auto repeat = run <= 16 ? &repeat_elements<T, 16>
            : run <= 32               ? &repeat_elements<T, std::min<int64_t>(32, kWide)>
                                      : &repeat_elements<T, kWide>;
        return repeat(data[0], data[1], strides[3], n0, n1);
      }
    }
    if (n1 > 1 && strides[0] == kSize && strides[3] == kSize && strides[1] != kSize && n0 > 4) {
      copy_tiles<T>(data[0], data[1], strides, n0, n1);
      return;
    }
    // Short runs without gaps are copied like elements of their size.
    const int64_t run = strides[0] == kSize && strides[1] == kSize ? n0 * kSize : 0;
    if (run == 8) {
      return copy_run<uint64_t>(data[0], data[1], strides[2], strides[3], n1);
    }
    if (run == 16) {
      return copy_run<Bytes16>(data[0], data[1], strides[2], strides[3], n1);
    }
    for (int64_t j = 0; j < n1; ++j) {
      copy_run<T>(data[0] + j * strides[2], data[1] + j * strides[3], strides[0], strides[1], n0);
    }
  });
}

void copy_same_dtype(TensorIterator& iter) {
  switch (iter.element_size(0)) {
    case 1:
      return copy_bits<uint8_t>(iter);
    case 2:
      return copy_bits<uint16_t>(iter);
    case 4:
      return copy_bits<uint32_t>(iter);
    case 8:
      return copy_bits<uint64_t>(iter);
    default:
      return copy_bits<Bytes16>(iter);
  }
}

bool is_vectorized(ScalarType dtype) {
  return !c10::isComplexType(dtype) && !c10::isStorageType(dtype);
}

void copy_kernel(TensorIterator& iter, bool /*non_blocking*/) {
  const auto to = iter.dtype(0);
  const auto from = iter.dtype(1);
  if (to == from) {
    copy_same_dtype(iter);
  } else if (c10::isFloat8Type(to) || c10::isFloat8Type(from)) {
    convert_float8(iter);
  } else if (!is_vectorized(to) || !is_vectorized(from)) {
    convert_by_element(iter);
  } else if (c10::isFloatingType(to)) {
    convert_to_floating(iter);
  } else {
    convert_to_integral(iter);
  }
}

} // namespace

REGISTER_DISPATCH(copy_stub, &copy_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
