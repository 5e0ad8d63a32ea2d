#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/native/Resample.h>
#include <ATen/native/cpu/KernelTypes.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace at::native {

namespace {

int64_t grain_for(const Resampling& job) {
  const int64_t size = job.in_h * job.in_w + job.rows.size() * job.columns.size();
  return std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, size));
}

// The longest part of an axis that is copied in order.
struct Run {
  int64_t begin, length;
};
Run longest_run(const AxisMap& map) {
  Run longest{0, 0}, run{0, 0};
  for (int64_t i = 0; i < map.size(); ++i) {
    const bool continues = run.length > 0 && map.first[i] == map.first[i - 1] + 1;
    run = continues ? Run{run.begin, run.length + 1} : Run{i, 1};
    longest = run.length > longest.length ? run : longest;
  }
  return longest;
}

template <typename T>
void take_row(const AxisMap& columns, Run run, const T* in, T* out) {
  const int64_t* from = columns.first.data();
  if (run.length < 8) {
    run = {0, 0};
  }
  for (int64_t i = 0; i < run.begin; ++i) {
    out[i] = in[from[i]];
  }
  std::memcpy(out + run.begin, in + from[run.begin], run.length * sizeof(T));
  for (int64_t i = run.begin + run.length; i < columns.size(); ++i) {
    out[i] = in[from[i]];
  }
}

// T is any type with the size of the elements.
template <typename T>
void take(const Resampling& job, const void* in, void* out) {
  const int64_t out_w = job.columns.size(), out_h = job.rows.size();
  const Run run = longest_run(job.columns);
  at::parallel_for(0, job.planes, grain_for(job), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* from = static_cast<const T*>(in) + plane * job.in_h * job.in_w;
      T* to = static_cast<T*>(out) + plane * out_h * out_w;
      for (int64_t h = 0; h < out_h; ++h, to += out_w) {
        if (h > 0 && job.rows.first[h] == job.rows.first[h - 1]) {
          std::memcpy(to, to - out_w, out_w * sizeof(T));
        } else {
          take_row(job.columns, run, from + job.rows.first[h] * job.in_w, to);
        }
      }
    }
  });
}

template <typename T, typename Wide>
T stored(Wide value) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    return static_cast<uint8_t>(std::clamp(std::nearbyint(value), Wide(0), Wide(255)));
  } else {
    return static_cast<T>(value);
  }
}

// Interpolates two rows first, contiguous in the column, then pairs of columns of the result.
template <typename T, typename Wide>
void mix(const Resampling& job, const void* in, void* out) {
  const AxisMap &rows = job.rows, &columns = job.columns;
  const std::vector<Wide> by(columns.by.begin(), columns.by.end());
  at::parallel_for(0, job.planes, grain_for(job), [&](int64_t begin, int64_t end) {
    std::vector<Wide> mixed(static_cast<size_t>(job.in_w));
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* from = static_cast<const T*>(in) + plane * job.in_h * job.in_w;
      T* to = static_cast<T*>(out) + plane * rows.size() * columns.size();
      for (int64_t h = 0; h < rows.size(); ++h, to += columns.size()) {
        const T* upper = from + rows.first[h] * job.in_w;
        const T* lower = from + rows.second[h] * job.in_w;
        const Wide low = static_cast<Wide>(rows.by[h]), up = 1 - low;
        for (int64_t w = 0; w < job.in_w; ++w) {
          mixed[w] = up * static_cast<Wide>(upper[w]) + low * static_cast<Wide>(lower[w]);
        }
        for (int64_t w = 0; w < columns.size(); ++w) {
          const Wide left = mixed[columns.first[w]], right = mixed[columns.second[w]];
          to[w] = stored<T>((1 - by[w]) * left + by[w] * right);
        }
      }
    }
  });
}

void take_elements(ScalarType dtype, const Resampling& job, const void* in, void* out) {
  struct Sixteen {
    uint64_t parts[2];
  };
  if (c10::elementSize(dtype) == 16) {
    return take<Sixteen>(job, in, out);
  }
  for_integer_width(dtype, [&]<typename T>(T) { take<T>(job, in, out); });
}

void resample_kernel(ScalarType dtype, const Resampling& job, const void* in, void* out) {
  if (job.columns.second.empty()) {
    return take_elements(dtype, job, in, out);
  }
  if (dtype == kByte) {
    return mix<uint8_t, float>(job, in, out);
  }
  for_floating(dtype, "upsample", [&]<typename T>(T) { mix<T, opmath_type<T>>(job, in, out); });
}

// Spreads a row of gradients over columns, then adds it to one or two rows.
template <typename T>
void spread_row(const AxisMap& columns, const std::vector<T>& by, const T* grad, T* spread) {
  if (by.empty()) {
    for (int64_t w = 0; w < columns.size(); ++w) {
      spread[columns.first[w]] += grad[w];
    }
    return;
  }
  for (int64_t w = 0; w < columns.size(); ++w) {
    spread[columns.first[w]] += (1 - by[w]) * grad[w];
    spread[columns.second[w]] += by[w] * grad[w];
  }
}

template <typename T>
void add_row(const std::vector<T>& row, T factor, T* sum) {
  for (size_t w = 0; w < row.size(); ++w) {
    sum[w] += factor * row[w];
  }
}

template <typename T>
void spread(const Resampling& job, const void* grad, void* grad_in) {
  const AxisMap &rows = job.rows, &columns = job.columns;
  const std::vector<T> by(columns.by.begin(), columns.by.end());
  at::parallel_for(0, job.planes, grain_for(job), [&](int64_t begin, int64_t end) {
    std::vector<T> row(static_cast<size_t>(job.in_w));
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* from = static_cast<const T*>(grad) + plane * rows.size() * columns.size();
      T* to = static_cast<T*>(grad_in) + plane * job.in_h * job.in_w;
      std::fill_n(to, job.in_h * job.in_w, T(0));
      for (int64_t h = 0; h < rows.size(); ++h, from += columns.size()) {
        std::fill(row.begin(), row.end(), T(0));
        spread_row(columns, by, from, row.data());
        const T low = rows.by.empty() ? T(0) : static_cast<T>(rows.by[h]);
        add_row(row, 1 - low, to + rows.first[h] * job.in_w);
        if (low != 0) {
          add_row(row, low, to + rows.second[h] * job.in_w);
        }
      }
    }
  });
}

void resample_backward_kernel(
    ScalarType dtype, const Resampling& job, const void* grad, void* grad_in) {
  if (dtype == kDouble) {
    spread<double>(job, grad, grad_in);
  } else {
    spread<float>(job, grad, grad_in);
  }
}

} // namespace

REGISTER_DISPATCH(resample_stub, &resample_kernel)
REGISTER_DISPATCH(resample_backward_stub, &resample_backward_kernel)

} // namespace at::native
