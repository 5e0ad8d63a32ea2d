#include <ATen/native/MaxPool.h>

#include <ATen/Parallel.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

namespace at::native {
namespace {

int64_t ceil_div(int64_t a, int64_t b) {
  return a > 0 ? (a + b - 1) / b : 0;
}

// First position of a window that is inside the input.
int64_t first_inside(const Pool1d& p, int64_t out) {
  int64_t at = out * p.stride - p.pad;
  while (at < 0) {
    at += p.dilation;
  }
  return at;
}

// Windows are visited tap by tap; one tap is a loop over a whole output row, so that it vectorises.
template <class T>
struct MaxPool {
  static constexpr bool kHalf = std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>;
  using Value = std::conditional_t<kHalf, float, T>;
  using Index = std::conditional_t<sizeof(Value) == 8, int64_t, int32_t>;

  static constexpr Value lowest() {
    if constexpr (std::numeric_limits<Value>::has_infinity) {
      return -std::numeric_limits<Value>::infinity();
    } else {
      return std::numeric_limits<Value>::lowest();
    }
  }

  template <int kStride>
  static void tap(const T* p, int64_t stride, Index position, int64_t begin, int64_t end,
                  Value* best, Index* where) {
    const int64_t step = kStride > 0 ? kStride : stride;
    const auto index_step = static_cast<Index>(step);
    for (int64_t o = begin; o < end; ++o) {
      const Value x = static_cast<Value>(p[o * step]);
      const bool better = (x > best[o]) | (x != x);
      best[o] = better ? x : best[o];
      where[o] = better ? static_cast<Index>(position + static_cast<Index>(o) * index_step) : where[o];
    }
  }

  static void row(const MaxPoolJob& job, const T* plane, int64_t oh, Value* best, Index* where) {
    const Pool1d& h = job.h;
    const Pool1d& w = job.w;
    const int64_t top = first_inside(h, oh);
    for (int64_t o = 0; o < w.out; ++o) {
      best[o] = lowest();
      where[o] = static_cast<Index>(top * w.in + first_inside(w, o));
    }
    const int64_t bottom = std::min(oh * h.stride - h.pad + (h.kernel - 1) * h.dilation + 1, h.in);
    for (int64_t y = top; y < bottom; y += h.dilation) {
      for (int64_t k = 0; k < w.kernel; ++k) {
        const int64_t shift = k * w.dilation - w.pad;  // x = o * stride + shift
        const int64_t begin = ceil_div(-shift, w.stride);
        const int64_t end = std::min(w.out, ceil_div(w.in - shift, w.stride));
        const int64_t position = y * w.in + shift;
        const T* p = plane + position;
        if (w.stride == 1) {
          tap<1>(p, 1, static_cast<Index>(position), begin, end, best, where);
        } else if (w.stride == 2) {
          tap<2>(p, 2, static_cast<Index>(position), begin, end, best, where);
        } else {
          tap<0>(p, w.stride, static_cast<Index>(position), begin, end, best, where);
        }
      }
    }
  }

  static bool run(const MaxPoolJob& job) {
    const int64_t rows = job.planes * job.h.out;
    const int64_t work = std::max<int64_t>(1, job.w.out * job.h.kernel * job.w.kernel);
    at::parallel_for(0, rows, std::max<int64_t>(1, at::internal::GRAIN_SIZE / work),
                     [&](int64_t begin, int64_t end) {
      std::vector<Value> best(static_cast<size_t>(job.w.out));
      std::vector<Index> where(static_cast<size_t>(job.w.out));
      for (int64_t r = begin; r < end; ++r) {
        const T* plane = static_cast<const T*>(job.in) + r / job.h.out * job.h.in * job.w.in;
        row(job, plane, r % job.h.out, best.data(), where.data());
        T* out = static_cast<T*>(job.out) + r * job.w.out;
        int64_t* indices = job.indices + r * job.w.out;
        for (int64_t o = 0; o < job.w.out; ++o) {
          out[o] = static_cast<T>(best[static_cast<size_t>(o)]);
          indices[o] = where[static_cast<size_t>(o)];
        }
      }
    });
    return true;
  }
};

bool max_pool2d_kernel(c10::ScalarType dtype, const MaxPoolJob& job) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return MaxPool<float>::run(job);
    case c10::ScalarType::Double:
      return MaxPool<double>::run(job);
    case c10::ScalarType::Half:
      return MaxPool<c10::Half>::run(job);
    case c10::ScalarType::BFloat16:
      return MaxPool<c10::BFloat16>::run(job);
    case c10::ScalarType::Byte:
      return MaxPool<uint8_t>::run(job);
    case c10::ScalarType::Char:
      return MaxPool<int8_t>::run(job);
    case c10::ScalarType::Short:
      return MaxPool<int16_t>::run(job);
    case c10::ScalarType::Int:
      return MaxPool<int32_t>::run(job);
    case c10::ScalarType::Long:
      return MaxPool<int64_t>::run(job);
    default:
      return false;
  }
}

} // namespace

REGISTER_DISPATCH(max_pool2d_stub, &max_pool2d_kernel)

} // namespace at::native
