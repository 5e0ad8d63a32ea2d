#include <ATen/native/ReduceStubs.h>
#include <ATen/native/cpu/LaneReduce.h>

namespace at::native {
namespace {

// Counts the elements that have a bit of `mask` set; the mask excludes the sign of a float.
template <class Bits, Bits mask>
struct CountOp {
  using in_t = Bits;
  using lane_t = Bits;
  using acc_t = int64_t;
  // An 8-bit lane holds at most 255.
  static constexpr int64_t kBlock = sizeof(Bits) == 1 ? kLanes<uint8_t> * 128 : 16384;
  static constexpr lane_t identity() { return 0; }
  static constexpr acc_t carry_identity() { return 0; }
  template <class T>
  static T step(T a, T x) {
    if constexpr (std::is_same_v<T, Bits>) {
      return static_cast<T>(a + ((x & mask) != 0));
    } else {
      return a - (T)((x & splat<Bits>(mask)) != 0);
    }
  }
  template <class T>
  static T merge(T a, T b) {
    return a + b;
  }
  static acc_t fold(acc_t a, lane_t b) { return a + b; }
  static acc_t combine(acc_t a, acc_t b) { return a + b; }
};

template <class Bits>
int64_t fold_count(Lanes<Bits> v) {
  alignas(at::vec::kVectorBytes) Bits x[kLanes<Bits>];
  store_lanes<Bits>(x, v);
  int64_t total = 0;
  for (int i = 0; i < kLanes<Bits>; ++i) {
    total += x[i];
  }
  return total;
}

template <class Bits, Bits mask>
struct NonzeroCount {
  using Op = CountOp<Bits, mask>;
  using Base = LaneReduce<Op>;
  static constexpr int L = kLanes<Bits>;

  static int64_t count_run(const Bits* p, int64_t n) {
    int64_t total = 0;
    while (n >= L) {
      const int64_t block = std::min<int64_t>(n, Op::kBlock);
      Lanes<Bits> a{}, b{};
      int64_t i = 0;
      for (; i + 2 * L <= block; i += 2 * L) {
        a = Op::step(a, load_lanes<Bits>(p + i));
        b = Op::step(b, load_lanes<Bits>(p + i + L));
      }
      for (; i + L <= block; i += L) {
        a = Op::step(a, load_lanes<Bits>(p + i));
      }
      total += fold_count<Bits>(a) + fold_count<Bits>(b);
      p += i;
      n -= i;
    }
    for (int64_t i = 0; i < n; ++i) {
      total += (p[i] & mask) != 0;
    }
    return total;
  }

  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double mode) {
    int64_t* a = static_cast<int64_t*>(acc);
    for (int64_t c = 0; c < count; ++c) {
      const Bits* p = static_cast<const Bits*>(in) + c * out_step;
      for (int64_t k = 0; k < n;) {
        const int64_t block = std::min<int64_t>(n - k, 8192);
        int64_t found = 0;
        if (step == 1) {
          found = count_run(p + k, block);
        } else {
          for (int64_t i = k; i < k + block; ++i) {
            found += (p[i * step] & mask) != 0;
          }
        }
        a[c] += mode == kAnyZero ? block - found : found;
        k = mode != kCountNonzero && a[c] > 0 ? n : k + block;
      }
    }
  }

  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t,
      double mode) {
    int64_t* a = static_cast<int64_t*>(acc);
    int64_t found[kReduceChunk];
    std::fill_n(found, count, int64_t{0});
    Base::outer(found, in, count, rows, row_step, 0, 0);
    for (int64_t c = 0; c < count; ++c) {
      a[c] += mode == kAnyZero ? rows - found[c] : found[c];
    }
  }

  static constexpr ReduceKernel kernel{sizeof(int64_t), sizeof(Bits), &Base::init,
                                       &inner,          &outer,       &Base::combine};
};

// A complex number is zero if both of its parts are: two adjacent floats.
template <class Real>
struct ComplexNonzero {
  using Base = LaneReduce<CountOp<uint8_t, 0xff>>;
  static void inner(
      void* acc, const void* in, int64_t count, int64_t out_step, int64_t n, int64_t step, int64_t,
      double mode) {
    for (int64_t c = 0; c < count; ++c) {
      const Real* p = static_cast<const Real*>(in) + 2 * c * out_step;
      int64_t found = 0;
      for (int64_t k = 0; k < n; ++k) {
        found += p[2 * k * step] != 0 || p[2 * k * step + 1] != 0;
      }
      static_cast<int64_t*>(acc)[c] += mode == kAnyZero ? n - found : found;
    }
  }
  static void outer(
      void* acc, const void* in, int64_t count, int64_t rows, int64_t row_step, int64_t,
      double mode) {
    inner(acc, in, count, 1, rows, row_step, 0, mode);
  }
  static constexpr ReduceKernel kernel{sizeof(int64_t), 2 * sizeof(Real), &Base::init,
                                       &inner,          &outer,           &Base::combine};
};

const ReduceKernel* kernels_for(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
    case c10::ScalarType::Char:
      return &NonzeroCount<uint8_t, 0xff>::kernel;
    case c10::ScalarType::Short:
    case c10::ScalarType::UInt16:
      return &NonzeroCount<uint16_t, 0xffff>::kernel;
    case c10::ScalarType::Half:
    case c10::ScalarType::BFloat16:
      return &NonzeroCount<uint16_t, 0x7fff>::kernel;
    case c10::ScalarType::Int:
    case c10::ScalarType::UInt32:
      return &NonzeroCount<uint32_t, 0xffffffff>::kernel;
    case c10::ScalarType::Float:
      return &NonzeroCount<uint32_t, 0x7fffffff>::kernel;
    case c10::ScalarType::Long:
    case c10::ScalarType::UInt64:
      return &NonzeroCount<uint64_t, ~uint64_t{0}>::kernel;
    case c10::ScalarType::Double:
      return &NonzeroCount<uint64_t, ~uint64_t{0} / 2>::kernel;
    case c10::ScalarType::ComplexFloat:
      return &ComplexNonzero<float>::kernel;
    case c10::ScalarType::ComplexDouble:
      return &ComplexNonzero<double>::kernel;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(nonzero_kernels, &kernels_for)

} // namespace at::native
