#include <ATen/native/cpu/GridTaps.h>

#include <ATen/Parallel.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <c10/core/CPUAllocator.h>

#include <algorithm>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <int Dims, int Count>
constexpr int kTaps = Dims == 2 ? Count* Count : Count* Count* Count;

// A register of points of one image.
template <typename T, int Dims, int Count>
struct Points {
  static constexpr int kAll = kTaps<Dims, Count>;
  int64_t image, first, count;
  GridTaps<T, Count> axes[Dims];

  Points(const GridSampling& s, const T* grid, int64_t image, int64_t first)
      : image(image), first(first), count(std::min<int64_t>(kLanes<T>, s.points - first)) {
    Lanes<T> coordinates[Dims] = {};
    const T* from = grid + (image * s.points + first) * Dims;
    for (int64_t l = 0; l < count; ++l) {
      for (int d = 0; d < Dims; ++d) {
        coordinates[d][l] = from[l * Dims + d];
      }
    }
    for (int d = 0; d < Dims; ++d) {
      axes[d] = grid_taps<T, Count>(s, coordinates[d], s.in[d]);
    }
  }

  static constexpr int digit(int tap, int d) {
    return d == 0 ? tap % Count : d == 1 ? tap / Count % Count : tap / (Count * Count);
  }
  Places<T> inside(int tap) const {
    Places<T> all = axes[0].inside[digit(tap, 0)];
    for (int d = 1; d < Dims; ++d) {
      all &= axes[d].inside[digit(tap, d)];
    }
    return all;
  }
  Places<T> place(const GridSampling& s, int tap) const {
    Places<T> at = axes[Dims - 1].at[digit(tap, Dims - 1)];
    for (int d = Dims - 2; d >= 0; --d) {
      at = at * static_cast<at::vec::int_like<T>>(s.in[d]) + axes[d].at[digit(tap, d)];
    }
    return at;
  }
  // The product of the weights, with the derivative's in place of one.
  Lanes<T> weight(int tap, int derivative = -1) const {
    Lanes<T> product = splat<T>(T(1));
    for (int d = 0; d < Dims; ++d) {
      product *= d == derivative ? axes[d].by[digit(tap, d)] : axes[d].weight[digit(tap, d)];
    }
    return product;
  }
};

template <typename T, int Dims, int Count>
void sample(const GridSampling& s, const T* in, const T* grid, T* out) {
  using Group = Points<T, Dims, Count>;
  const int64_t groups = (s.points + kLanes<T> - 1) / kLanes<T>;
  const int64_t work = Group::kAll * (s.channels + 2) * kLanes<T>;
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / work);
  at::parallel_for(0, s.batch * groups, grain, [&](int64_t begin, int64_t end) {
    Places<T> places[Group::kAll], inside[Group::kAll];
    Lanes<T> weights[Group::kAll];
    for (int64_t i = begin; i < end; ++i) {
      const Group points(s, grid, i / groups, i % groups * kLanes<T>);
      for (int k = 0; k < Group::kAll; ++k) {
        places[k] = points.place(s, k);
        inside[k] = points.inside(k);
        weights[k] = points.weight(k);
      }
      const T* plane = in + points.image * s.channels * s.in_size();
      T* to = out + points.image * s.channels * s.points + points.first;
      for (int64_t c = 0; c < s.channels; ++c, plane += s.in_size(), to += s.points) {
        Lanes<T> sum{};
        for (int k = 0; k < Group::kAll; ++k) {
          sum += weights[k] * gather_inside<T>(plane, places[k], inside[k]);
        }
        save_up_to<T, T>(to, sum, points.count);
      }
    }
  });
}

// Adds values to the elements of a plane, lane by lane: lanes may name the same element.
template <typename T>
C10_ALWAYS_INLINE void scatter_add(
    T* plane, const at::vec::int_like<T>* places, const int* lanes, int count, Lanes<T> value) {
  alignas(at::vec::kVectorBytes) T values[kLanes<T>];
  store_lanes<T>(values, value);
  for (int l = 0; l < count; ++l) {
    plane[places[l]] += values[lanes[l]];
  }
}

template <typename T, int Dims, int Count>
void add_taps(
    const GridSampling& s, const Points<T, Dims, Count>& points, const T* grad, T* grad_in) {
  for (int k = 0; k < points.kAll; ++k) {
    const auto place = points.place(s, k), inside = points.inside(k);
    at::vec::int_like<T> places[kLanes<T>];
    int lanes[kLanes<T>], count = 0;
    for (int l = 0; l < points.count; ++l) {
      if (inside[l] != 0) {
        places[count] = place[l];
        lanes[count++] = l;
      }
    }
    const Lanes<T> weight = points.weight(k);
    for (int64_t c = 0; c < s.channels; ++c) {
      const auto from = load_up_to<T>(grad + c * s.points, points.count, T(0));
      scatter_add<T>(grad_in + c * s.in_size(), places, lanes, count, from * weight);
    }
  }
}

template <typename T, int Dims, int Count>
void grid_slopes(
    const GridSampling& s, const Points<T, Dims, Count>& points, const T* grad, const T* in,
    T* grad_grid) {
  Lanes<T> slopes[Dims] = {};
  for (int k = 0; k < (Count == 1 ? 0 : points.kAll); ++k) {
    const auto place = points.place(s, k), inside = points.inside(k);
    Lanes<T> dot{};
    for (int64_t c = 0; c < s.channels; ++c) {
      dot += load_up_to<T>(grad + c * s.points, points.count, T(0)) *
          gather_inside<T>(in + c * s.in_size(), place, inside);
    }
    for (int d = 0; d < Dims; ++d) {
      slopes[d] += dot * points.weight(k, d);
    }
  }
  for (int64_t l = 0; l < points.count; ++l) {
    for (int d = 0; d < Dims; ++d) {
      grad_grid[l * Dims + d] = slopes[d][l];
    }
  }
}

// Both gradients of one image after another, with the channels of an element next to each other:
// its register of channels is read and added to at once.
template <typename T, int Dims, int Count>
class ByElement {
 public:
  using Group = Points<T, Dims, Count>;
  static constexpr int L = kLanes<T>;

  ByElement(const GridSampling& s, bool of_image, bool of_grid)
      : s_(s),
        width_((s.channels + L - 1) / L * L),
        of_image_(of_image),
        of_grid_(of_grid && Count > 1),
        room_(c10::GetCPUAllocator()->allocate(
            static_cast<size_t>(width_ * (2 * s.in_size() + L)) * sizeof(T))),
        in_(static_cast<T*>(room_.get())),
        grad_in_(in_ + width_ * s.in_size()),
        grad_(grad_in_ + width_ * s.in_size()) {}

  // Whether this saves more than transposing the image takes, which shorter registers do more
  // slowly.
  static bool pays(const GridSampling& s) {
    constexpr int64_t kLeast = 64 / at::vec::kVectorBytes; // taps of an element
    return s.channels >= L / 2 && s.points * Group::kAll >= s.in_size() * kLeast;
  }

  void run(
      int64_t image, const T* grad, const T* in, const T* grid, T* grad_in, T* grad_grid) const {
    const int64_t size = s_.in_size();
    if (of_grid_) {
      to_elements(in, size, size, in_);
    }
    if (of_image_) {
      std::fill_n(grad_in_, size * width_, T(0));
    }
    for (int64_t first = 0; first < s_.points; first += L) {
      const Group points(s_, grid, image, first);
      to_elements(grad + first, s_.points, points.count, grad_);
      add(points, of_grid_ ? grad_grid + (image * s_.points + first) * Dims : nullptr);
    }
    if (of_image_) {
      copy_transposed(grad_in_, width_, size, s_.channels, grad_in, size);
    }
  }

 private:
  void to_elements(const T* planes, int64_t step, int64_t count, T* to) const {
    if (width_ > s_.channels) {
      std::fill_n(to, count * width_, T(0));
    }
    copy_transposed(planes, step, s_.channels, count, to, width_);
  }

  void add(const Group& points, T* grad_grid) const {
    Lanes<T> slopes[Dims] = {};
    for (int k = 0; k < Group::kAll; ++k) {
      const auto place = points.place(s_, k), inside = points.inside(k);
      const Lanes<T> weight = points.weight(k);
      Lanes<T> dots[L] = {};
      for (int64_t l = 0; l < points.count; ++l) {
        if (inside[l] == 0) {
          continue;
        }
        const int64_t element = place[l] * width_;
        const T* const grad = grad_ + l * width_;
        if (of_image_) {
          const Lanes<T> by = splat<T>(weight[l]);
          for (int64_t c = 0; c < width_; c += L) {
            T* const to = grad_in_ + element + c;
            store_lanes<T>(to, at::vec::fma(load_lanes<T>(grad + c), by, load_lanes<T>(to)));
          }
        }
        if (of_grid_) {
          for (int64_t c = 0; c < width_; c += L) {
            dots[l] =
                at::vec::fma(load_lanes<T>(grad + c), load_lanes<T>(in_ + element + c), dots[l]);
          }
        }
      }
      if (of_grid_) {
        const Lanes<T> dot = sum_each<T>(dots);
        for (int d = 0; d < Dims; ++d) {
          slopes[d] += dot * points.weight(k, d);
        }
      }
    }
    for (int64_t l = 0; of_grid_ && l < points.count; ++l) {
      for (int d = 0; d < Dims; ++d) {
        grad_grid[l * Dims + d] = slopes[d][l];
      }
    }
  }

  const GridSampling& s_;
  int64_t width_; // channels in whole registers
  bool of_image_, of_grid_;
  c10::DataPtr room_;
  T* in_;      // [element][channel]
  T* grad_in_; // [element][channel]
  T* grad_;    // [point of a register][channel]
};

// Points of one image add to the same elements, so threads take images.
template <typename T, int Dims, int Count>
void sample_backward(
    const GridSampling& s, const T* grad, const T* in, const T* grid, T* grad_in, T* grad_grid) {
  at::parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
    if (ByElement<T, Dims, Count>::pays(s)) {
      const ByElement<T, Dims, Count> images(s, grad_in != nullptr, grad_grid != nullptr);
      for (int64_t image = begin; image < end; ++image) {
        const int64_t plane = image * s.channels * s.in_size();
        images.run(
            image, grad + image * s.channels * s.points, in + plane, grid,
            grad_in == nullptr ? nullptr : grad_in + plane, grad_grid);
      }
      return;
    }
    for (int64_t image = begin; image < end; ++image) {
      const int64_t plane = image * s.channels * s.in_size();
      for (int64_t first = 0; first < s.points; first += kLanes<T>) {
        const Points<T, Dims, Count> points(s, grid, image, first);
        const T* from = grad + image * s.channels * s.points + first;
        if (grad_in != nullptr) {
          add_taps<T, Dims, Count>(s, points, from, grad_in + plane);
        }
        if (grad_grid != nullptr) {
          grid_slopes<T, Dims, Count>(
              s, points, from, in + plane, grad_grid + (image * s.points + first) * Dims);
        }
      }
    }
  });
}

// Calls f with the dtype, the dimensions and the taps along each of them.
template <typename T, typename F>
void for_mode(const GridSampling& s, const F& f) {
  if (s.mode == GridMode::Cubic) {
    f.template operator()<T, 2, 4>();
  } else if (s.dims == 2) {
    s.mode == GridMode::Linear ? f.template operator()<T, 2, 2>()
                               : f.template operator()<T, 2, 1>();
  } else {
    s.mode == GridMode::Linear ? f.template operator()<T, 3, 2>()
                               : f.template operator()<T, 3, 1>();
  }
}

template <typename F>
void for_sampling(const GridSampling& s, const F& f) {
  s.is_double ? for_mode<double>(s, f) : for_mode<float>(s, f);
}

void grid_sample_kernel(const GridSampling& s, const void* in, const void* grid, void* out) {
  for_sampling(s, [&]<typename T, int Dims, int Count>() {
    sample<T, Dims, Count>(
        s, static_cast<const T*>(in), static_cast<const T*>(grid), static_cast<T*>(out));
  });
}

void grid_sample_backward_kernel(
    const GridSampling& s, const void* grad, const void* in, const void* grid, void* grad_in,
    void* grad_grid) {
  for_sampling(s, [&]<typename T, int Dims, int Count>() {
    sample_backward<T, Dims, Count>(
        s, static_cast<const T*>(grad), static_cast<const T*>(in), static_cast<const T*>(grid),
        static_cast<T*>(grad_in), static_cast<T*>(grad_grid));
  });
}

} // namespace

REGISTER_DISPATCH(grid_sample_stub, &grid_sample_kernel)
REGISTER_DISPATCH(grid_sample_backward_stub, &grid_sample_backward_kernel)

} // namespace CPU_CAPABILITY
} // namespace at::native
