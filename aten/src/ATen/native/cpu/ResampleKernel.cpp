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
// Whether `count` elements follow each other in both, from the one before them on.
bool all_follow(const int64_t* from, int64_t count) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < count; ++i) {
    wrong |= from[i] - from[i - 1] - 1;
  }
  return wrong == 0;
}
Run longest_run(const AxisMap& map) {
  constexpr int64_t kStep = 64;
  const int64_t* from = map.first.data();
  Run longest{0, 0}, run{0, 0};
  for (int64_t i = 0; i < map.size();) {
    const bool many = run.length > 0 && i + kStep <= map.size() && all_follow(from + i, kStep);
    const bool one = many || (run.length > 0 && from[i] == from[i - 1] + 1);
    const int64_t step = many ? kStep : 1;
    run = one ? Run{run.begin, run.length + step} : Run{i, 1};
    longest = run.length > longest.length ? run : longest;
    i += step;
  }
  return longest;
}

bool doubles(const AxisMap& map, int64_t in) {
  bool all = map.size() == 2 * in;
  for (int64_t i = 0; all && i < map.size(); ++i) {
    all = map.first[i] == i / 2;
  }
  return all;
}

// How the columns of the rows are taken.
struct ColumnPattern {
  Run run;
  bool twice;
};

template <typename T>
void take_row(const AxisMap& columns, const ColumnPattern& pattern, const T* in, T* out) {
  const int64_t* from = columns.first.data();
  if (pattern.twice) {
    for (int64_t i = 0; i < columns.size() / 2; ++i) {
      out[2 * i] = out[2 * i + 1] = in[i];
    }
    return;
  }
  const Run run = pattern.run.length < 8 ? Run{0, 0} : pattern.run;
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
void take_plane(const Resampling& job, const ColumnPattern& pattern, const T* from, T* to) {
  const int64_t out_w = job.columns.size(), out_h = job.rows.size();
  for (int64_t h = 0; h < out_h; ++h, to += out_w) {
    if (h > 0 && job.rows.first[h] == job.rows.first[h - 1]) {
      std::memcpy(to, to - out_w, out_w * sizeof(T));
    } else {
      take_row(job.columns, pattern, from + job.rows.first[h] * job.in_w, to);
    }
  }
}

template <typename T>
void take(const Resampling& job, const void* in, void* out) {
  const int64_t in_size = job.in_h * job.in_w, out_size = job.rows.size() * job.columns.size();
  const int64_t out_d = job.depth.size();
  const ColumnPattern pattern{longest_run(job.columns), doubles(job.columns, job.in_w)};
  at::parallel_for(0, job.planes * out_d, grain_for(job), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t at = plane % out_d, from = job.depth.first[at];
      T* to = static_cast<T*>(out) + plane * out_size;
      if (at > 0 && plane > begin && job.depth.first[at - 1] == from) {
        std::memcpy(to, to - out_size, out_size * sizeof(T));
        continue;
      }
      const int64_t source = plane / out_d * job.in_d + from;
      take_plane<T>(job, pattern, static_cast<const T*>(in) + source * in_size, to);
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

// Mixes pairs of columns of a row.
template <typename T, typename Wide>
void mix_columns(const AxisMap& columns, const std::vector<Wide>& by, const Wide* row, T* to) {
  for (int64_t w = 0; w < columns.size(); ++w) {
    const Wide left = row[columns.first[w]], right = row[columns.second[w]];
    to[w] = stored<T>((1 - by[w]) * left + by[w] * right);
  }
}

// The same for columns of several channels.
template <typename T, typename Wide>
void mix_pixels(
    const AxisMap& columns, const std::vector<Wide>& by, int64_t channels, const Wide* row, T* to) {
  for (int64_t w = 0; w < columns.size(); ++w, to += channels) {
    const Wide* left = row + columns.first[w] * channels;
    const Wide* right = row + columns.second[w] * channels;
    const Wide more = by[w], less = 1 - more;
    for (int64_t c = 0; c < channels; ++c) {
      to[c] = stored<T>(less * left[c] + more * right[c]);
    }
  }
}

// Interpolates two rows first, contiguous in the column, then pairs of columns of the result.
template <typename T, typename Wide>
void mix(const Resampling& job, const void* in, void* out) {
  const AxisMap &rows = job.rows, &columns = job.columns;
  const std::vector<Wide> by(columns.by.begin(), columns.by.end());
  const int64_t in_w = job.in_w * job.channels, out_w = columns.size() * job.channels;
  const int64_t grain =
      std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, in_w + out_w));
  at::parallel_for(0, job.planes * rows.size(), grain, [&](int64_t begin, int64_t end) {
    std::vector<Wide> mixed(static_cast<size_t>(in_w));
    for (int64_t row = begin; row < end; ++row) {
      const int64_t h = row % rows.size();
      const T* from = static_cast<const T*>(in) + row / rows.size() * job.in_h * in_w;
      const T* upper = from + rows.first[h] * in_w;
      const T* lower = from + rows.second[h] * in_w;
      const Wide low = static_cast<Wide>(rows.by[h]), up = 1 - low;
      for (int64_t w = 0; w < in_w; ++w) {
        mixed[w] = up * static_cast<Wide>(upper[w]) + low * static_cast<Wide>(lower[w]);
      }
      T* to = static_cast<T*>(out) + row * out_w;
      if (job.channels == 1) {
        mix_columns(columns, by, mixed.data(), to);
      } else {
        mix_pixels(columns, by, job.channels, mixed.data(), to);
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

template <typename T>
void add_row(int64_t width, const T* row, T factor, T* sum) {
  for (int64_t w = 0; w < width; ++w) {
    sum[w] += factor * row[w];
  }
}

// Spreads a row of gradients over columns, then adds it to one or two rows.
template <typename T>
void spread_row(
    const AxisMap& columns, const std::vector<T>& by, int64_t channels, const T* grad, T* spread) {
  if (channels == 1) {
    for (int64_t w = 0; w < columns.size(); ++w) {
      spread[columns.first[w]] += (1 - by[w]) * grad[w];
      spread[columns.second[w]] += by[w] * grad[w];
    }
    return;
  }
  for (int64_t w = 0; w < columns.size(); ++w, grad += channels) {
    add_row(channels, grad, 1 - by[w], spread + columns.first[w] * channels);
    add_row(channels, grad, by[w], spread + columns.second[w] * channels);
  }
}

// Adds the columns that copy the same input.
template <typename T>
void add_columns(const AxisMap& columns, bool twice, const T* from, T* to) {
  if (twice) {
    for (int64_t w = 0; w < columns.size() / 2; ++w) {
      to[w] += from[2 * w] + from[2 * w + 1];
    }
    return;
  }
  for (int64_t w = 0; w < columns.size(); ++w) {
    to[columns.first[w]] += from[w];
  }
}

template <typename T>
void spread(const Resampling& job, const void* grad, void* grad_in) {
  const AxisMap &rows = job.rows, &columns = job.columns;
  const std::vector<T> by(columns.by.begin(), columns.by.end());
  const int64_t in_w = job.in_w * job.channels, out_w = columns.size() * job.channels;
  at::parallel_for(0, job.planes, grain_for(job), [&](int64_t begin, int64_t end) {
    std::vector<T> row(static_cast<size_t>(in_w));
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* from = static_cast<const T*>(grad) + plane * rows.size() * out_w;
      T* to = static_cast<T*>(grad_in) + plane * job.in_h * in_w;
      std::fill_n(to, job.in_h * in_w, T(0));
      for (int64_t h = 0; h < rows.size(); ++h, from += out_w) {
        std::fill(row.begin(), row.end(), T(0));
        spread_row(columns, by, job.channels, from, row.data());
        const T low = static_cast<T>(rows.by[h]);
        add_row(in_w, row.data(), 1 - low, to + rows.first[h] * in_w);
        if (low != 0) {
          add_row(in_w, row.data(), low, to + rows.second[h] * in_w);
        }
      }
    }
  });
}

// The adjoint of copies. Output planes and rows that copy the same input are adjacent, so they are
// summed first, and their columns once.
template <typename T>
void sum_copies(const Resampling& job, const void* grad, void* grad_in) {
  const AxisMap &depth = job.depth, &rows = job.rows, &columns = job.columns;
  const int64_t out_w = columns.size(), in_size = job.in_d * job.in_h * job.in_w;
  const bool twice = doubles(columns, job.in_w);
  const int64_t grain =
      std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, in_size));
  at::parallel_for(0, job.planes, grain, [&](int64_t begin, int64_t end) {
    std::vector<T> sum(static_cast<size_t>(out_w));
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* volume = static_cast<const T*>(grad) + plane * depth.size() * rows.size() * out_w;
      T* to = static_cast<T*>(grad_in) + plane * in_size;
      std::fill_n(to, in_size, T(0));
      for (int64_t z = 0, last_z = 0; z < depth.size(); z = last_z) {
        for (last_z = z; last_z < depth.size() && depth.first[last_z] == depth.first[z];) {
          ++last_z;
        }
        for (int64_t y = 0, last_y = 0; y < rows.size(); y = last_y) {
          for (last_y = y; last_y < rows.size() && rows.first[last_y] == rows.first[y];) {
            ++last_y;
          }
          std::fill(sum.begin(), sum.end(), T(0));
          for (int64_t k = z; k < last_z; ++k) {
            for (int64_t l = y; l < last_y; ++l) {
              add_row(out_w, volume + (k * rows.size() + l) * out_w, T(1), sum.data());
            }
          }
          T* row = to + (depth.first[z] * job.in_h + rows.first[y]) * job.in_w;
          add_columns(columns, twice, sum.data(), row);
        }
      }
    }
  });
}

template <typename T>
void run_backward(const Resampling& job, const void* grad, void* grad_in) {
  job.columns.second.empty() ? sum_copies<T>(job, grad, grad_in) : spread<T>(job, grad, grad_in);
}

void resample_backward_kernel(
    ScalarType dtype, const Resampling& job, const void* grad, void* grad_in) {
  dtype == kDouble ? run_backward<double>(job, grad, grad_in)
                   : run_backward<float>(job, grad, grad_in);
}

} // namespace

REGISTER_DISPATCH(resample_stub, &resample_kernel)
REGISTER_DISPATCH(resample_backward_stub, &resample_backward_kernel)

} // namespace at::native
