// Fourier transforms along axes. Short lines fill a register's lanes together, or lie in registers
// as squares; a long line is divided into columns, which fill the lanes alone.

#include <ATen/Parallel.h>
#include <ATen/native/cpu/FftHalves.h>
#include <ATen/native/cpu/FftLines.h>
#include <ATen/native/cpu/FftLongLines.h>
#include <ATen/native/cpu/FftOffsets.h>
#include <ATen/native/cpu/FftPasses.h>
#include <ATen/native/cpu/FftSquares.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

constexpr int64_t kShared = 1 << 14; // the fewest numbers for a thread

template <typename T>
class AxisTransform {
 public:
  explicit AxisTransform(const FftAxis& axis)
      : axis_(axis),
        count_(count_of(axis.sizes)),
        real_(axis.kind != FftKind::ComplexToComplex),
        side_(square_side()),
        whole_(kManyRegisters && axis.full && axis.length == 16),
        paired_(real_ && axis.length % 2 == 0 && side_ == 0 && !whole_),
        plan_(fft_plan<T>(paired_ ? axis.length / 2 : axis.length)),
        by_eighths_(
            !real_ && plan_->eighths && in_line().dense() && out_line().dense() &&
            count_ >= kEighthLines<T>),
        divides_(divides()),
        divided_from_(divided_from()),
        scale_(static_cast<T>(axis.scale)) {
    if (paired_) {
      roots_ = fft_half_roots<T>(axis.length);
    }
  }

  // Transforms all lines.
  void run() const {
    if (divides_ && count_ < at::get_num_threads() && 2 * plan_->length >= kShared) {
      run_lines(space(), 0, count_, true);
      return;
    }
    const int64_t unit = by_eighths_ ? kEighthLines<T> : divides_ ? 1 : L;
    const int64_t grain = std::max<int64_t>(1, kShared / (2 * plan_->length * unit));
    at::parallel_for(0, at::divup(count_, unit), grain, [&](int64_t begin, int64_t end) {
      run_range(space(), begin * unit, std::min(end * unit, count_));
    });
  }

  // Transforms some lines in this thread.
  C10_NOINLINE void run_range(const Workspace<T>& space, int64_t begin, int64_t end) const {
    if (side_ == 4) {
      run_squares<4>(begin, end);
    } else if (side_ == 8) {
      run_squares<8>(begin, end);
    } else if (by_eighths_) {
      run_eighths(space, begin, end);
    } else {
      run_blocks(space, begin, std::min(end, divided_from_));
      run_lines(space, std::max(begin, divided_from_), end, false);
    }
  }

  int64_t count() const { return count_; }

  // The sizes of the workspace that run_range needs.
  int64_t rows() const {
    return by_eighths_ ? plan_->eighths->length
        : divides_     ? divided().rows->length
                       : std::max(plan_->work(), axis_.length) + 1;
  }
  int64_t rest() const {
    return std::max(
        divided_from_ < count_ ? middle_size(divided()) + 2 * plan_->length : 0,
        divides_ ? 0 : near_size(divided()));
  }

 private:
  static constexpr int64_t L = kLanes<T>;

  Workspace<T> space() const { return Workspace<T>(side_ == 0 ? rows() : 0, rest()); }

  // The side of the squares in which registers hold whole lines, or 0.
  int square_side() const {
    const bool from_real = axis_.kind == FftKind::RealToComplex;
    const bool dense = axis_.out_step == 2 && axis_.in_step == (from_real ? 1 : 2);
    if (!dense || axis_.kind == FftKind::ComplexToReal || axis_.full) {
      return 0;
    }
    const int side = axis_.length == 64 ? 8 : axis_.length == 16 && !from_real ? 4 : 0;
    return side <= kLargestSquare<T> ? side : 0;
  }

  // Whether lines are divided into columns, instead of a register taking a line in each lane.
  bool divides() const {
    constexpr int64_t kLong = 1 << 14;
    // Buffers for more numbers of all lanes take longer to reach than dividing takes.
    constexpr int64_t kShort = kManyRegisters ? 255 : at::vec::kVectorBytes == 16 ? kLong : 512;
    if (!is_long(*plan_)) {
      return false;
    }
    // Dividing pays while little of the work is done in unused lanes; with none it is 2 * length.
    constexpr double kMostWork = 2 * 1.15;
    const bool fills = plan_->columns && in_line().dense() && out_line().dense() &&
        static_cast<double>(plan_->divided_work(plan_->columns->length, L)) <=
            kMostWork * static_cast<double>(plan_->length);
    return plan_->length >= kLong || count_ <= L / 2 || (plan_->length > kShort && fills);
  }

  // The first line to divide: none, all, or those that would fill too little of a register.
  int64_t divided_from() const {
    const int64_t rest = count_ % L;
    return divides_ ? 0 : is_long(*plan_) && rest <= L / 2 ? count_ - rest : count_;
  }

  T* in() const { return static_cast<T*>(const_cast<void*>(axis_.in)); } // only read
  T* out() const { return static_cast<T*>(axis_.out); }
  int64_t spectrum_length() const { return axis_.length / 2 + 1; }

  // Pairs of adjacent real numbers pass as complex ones; a single one is read once.
  FftLine<T> real_side(T* base, int64_t step) const {
    return paired_ ? FftLine<T>{base, 2 * step, step} : FftLine<T>{base, step, 0};
  }
  FftLine<T> in_line() const {
    return axis_.kind == FftKind::RealToComplex ? real_side(in(), axis_.in_step)
                                                : FftLine<T>{in(), axis_.in_step, 1};
  }
  FftLine<T> out_line() const {
    return axis_.kind == FftKind::ComplexToReal ? real_side(out(), axis_.out_step)
                                                : FftLine<T>{out(), axis_.out_step, 1};
  }

  // ---- lines in registers

  template <int R>
  void run_squares(int64_t begin, int64_t end) const {
    if constexpr (R <= kLargestSquare<T>) {
      const T* const turns = plan_->turns.data();
      if constexpr (R == 8) {
        if (real_) {
          for_squares<T, R, 2, 1>(axis_, begin, end, [&](const auto& ins, const auto& outs) {
            transform_real_lines<T, R>(ins, outs, turns, scale_);
          });
          return;
        }
      }
      for_squares<T, R, 1, 1>(axis_, begin, end, [&](const auto& ins, const auto& outs) {
        transform_squares<T, R>(ins[0], outs[0], axis_.inverse, scale_, [&](FftValue<T>(&v)[R]) {
          transform_lines<T, R>(v, turns);
        });
      });
    }
  }

  // ---- lines in lanes

  void run_blocks(const Workspace<T>& space, int64_t begin, int64_t end) const {
    LineOffsets offsets(axis_, begin);
    FftLines<T> ins = regular_lines(in_line(), offsets.in_apart());
    FftLines<T> outs = regular_lines(out_line(), offsets.out_apart());
    while (begin < end) {
      const int64_t count = std::min(L, end - begin);
      if (count == L && offsets.run() >= L) {
        ins.base = in() + offsets.in();
        outs.base = out() + offsets.out();
        offsets.advance(L);
        run_block(space, ins, outs);
      } else {
        scattered_block(space, offsets, static_cast<int>(count));
      }
      begin += count;
    }
  }

  void scattered_block(const Workspace<T>& space, LineOffsets& offsets, int count) const {
    const FftLine<T> from = in_line(), to = out_line();
    FftLines<T> ins{from.base, from.step, from.im, {}, count};
    FftLines<T> outs{to.base, to.step, to.im, {}, count};
    for (int l = 0; l < count; ++l, offsets.advance()) {
      ins.offset[l] = offsets.in();
      outs.offset[l] = offsets.out();
    }
    ins.settle();
    outs.settle();
    run_block(space, ins, outs);
  }

  void run_block(const Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) const {
    if (axis_.kind == FftKind::ComplexToComplex) {
      complex_block(space, ins, outs);
    } else if (axis_.kind == FftKind::RealToComplex) {
      real_block(space, ins, outs);
    } else {
      spectrum_block(space, ins, outs);
    }
  }

  void complex_block(
      const Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) const {
    using Moves = typename FftLines<T>::Moves;
    if (ins.moves == Moves::AdjacentLines && outs.moves == ins.moves && !plan_->inner) {
      const auto source = ins.adjacent(axis_.inverse);
      run_passes(*plan_, source, outs.adjacent(axis_.inverse, scale_), space.a, space.b);
      return;
    }
    load_rows(ins, axis_.length, axis_.inverse, space.a);
    const FftRows<T> z = transform_rows(*plan_, space.a, space.b, space.middle);
    store_rows(z, axis_.length, axis_.inverse, scale_, outs);
  }

  void real_block(
      const Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) const {
    using Moves = typename FftLines<T>::Moves;
    if constexpr (kManyRegisters) {
      if (whole_ && ins.moves == Moves::AdjacentPlanes && outs.moves == Moves::AdjacentLines) {
        const FftRealLines<T> source{ins.base + ins.offset[0], ins.step};
        run_whole<T, 16>(*plan_, source, outs.adjacent(false, scale_));
        return;
      }
    }
    load_rows(ins, plan_->length, false, space.a);
    if (!paired_) {
      for (int64_t j = 0; j < plan_->length; ++j) {
        space.a.store(j, {space.a.load(j).re, Lanes<T>{}});
      }
    }
    FftRows<T> z = transform_rows(*plan_, space.a, space.b, space.middle);
    if (paired_) {
      const FftRows<T> x = space.other(z);
      separate_halves(z, plan_->length, roots_->data(), x);
      z = x;
    }
    for (int64_t k = spectrum_length(); axis_.full && k < axis_.length; ++k) {
      const FftValue<T> value = z.load(axis_.length - k);
      z.store(k, {value.re, -value.im});
    }
    store_rows(z, axis_.full ? axis_.length : spectrum_length(), false, scale_, outs);
  }

  void spectrum_block(
      const Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) const {
    const FftRows<T> x = space.a;
    load_rows(ins, spectrum_length(), false, x);
    if (paired_) {
      join_halves(x, plan_->length, roots_->data(), true);
    } else {
      x.store(0, {Lanes<T>{}, x.load(0).re});
      for (int64_t k = 1; k < spectrum_length(); ++k) {
        const FftValue<T> value = x.load(k);
        x.store(k, {value.im, value.re});
        x.store(axis_.length - k, {-value.im, value.re});
      }
    }
    const FftRows<T> z = transform_rows(*plan_, x, space.b, space.middle);
    store_rows(z, plan_->length, true, scale_, outs);
  }

  // ---- long lines

  void run_eighths(const Workspace<T>& space, int64_t begin, int64_t end) const {
    LineOffsets offsets(axis_, begin);
    FftAdjacentLines<T> ins{in() + offsets.in(), nullptr, 0, axis_.inverse, T(1)};
    FftAdjacentLines<T> outs{nullptr, nullptr, 0, axis_.inverse, scale_};
    while (begin < end) {
      T* const low = in() + offsets.in();
      ins.low = low;
      outs.low = out() + offsets.out();
      if constexpr (kEighthLines<T> == 2) {
        if (begin + 1 < end) {
          offsets.advance();
        }
        ins.high = in() + offsets.in();
        outs.high = out() + offsets.out();
      } else {
        ins.high = ins.low + L;
        outs.high = outs.low + L;
      }
      offsets.advance();
      begin += kEighthLines<T>;
      ins.ahead = begin < end ? in() + offsets.in() - low : 0;
      transform_eighths(*plan_, ins, outs, space);
    }
  }

  void run_lines(const Workspace<T>& space, int64_t begin, int64_t end, bool parallel) const {
    LineOffsets offsets(axis_, begin);
    for (int64_t i = begin; i < end; ++i) {
      FftLine<T> from = in_line(), to = out_line();
      const int64_t now = offsets.in();
      from.base += now;
      to.base += offsets.out();
      offsets.advance();
      from.ahead = i + 1 < end ? offsets.in() - now : 0;
      if (axis_.kind == FftKind::ComplexToComplex) {
        transform_line(*plan_, from, to, space, space.middle, axis_.inverse, scale_, parallel);
      } else if (axis_.kind == FftKind::RealToComplex) {
        real_line(space, from, to, parallel);
      } else {
        spectrum_line(space, from, to, parallel);
      }
    }
  }

  const FftPlan<T>& divided() const { return plan_->inner ? *plan_->inner : *plan_; }

  // Room for the complex numbers of a real line, beyond what dividing it needs.
  FftLine<T> between(const Workspace<T>& space) const {
    return {space.middle + middle_size(divided()), 2, 1};
  }

  void real_line(
      const Workspace<T>& space, const FftLine<T>& from, const FftLine<T>& to,
      bool parallel) const {
    FftLine<T> z = between(space);
    const int64_t n = plan_->length;
    const auto put = [&](int64_t k, T re, T im) {
      to.base[k * to.step] = re;
      to.base[k * to.step + 1] = im;
    };
    if (paired_) {
      if (to.dense()) {
        z.later = to.base; // merging stores faster than memory is requested
        if constexpr (kManyRegisters) {
          if (plan_->columns && plan_->columns->length % L == 0 && n % (2 * L) == 0) {
            z.in_rows = true;
            transform_line(*plan_, from, z, space, space.middle, false, T(1), parallel);
            separate_line(FftRows<T>{z.base}, to, n, roots_->data(), scale_);
            return mirror_spectrum(to);
          }
        }
      }
      transform_line(*plan_, from, z, space, space.middle, false, scale_, parallel);
      put(0, z.base[0] + z.base[1], T(0));
      put(n, z.base[0] - z.base[1], T(0));
      merge_halves(z, to, n, roots_->data(), separated_halves<T>);
    } else {
      for (int64_t j = 0; j < n; ++j) {
        z.base[2 * j] = from.base[j * from.step];
        z.base[2 * j + 1] = T(0);
      }
      transform_line(*plan_, z, z, space, space.middle, false, scale_, parallel);
      for (int64_t k = 0; k < spectrum_length(); ++k) {
        put(k, z.base[2 * k], z.base[2 * k + 1]);
      }
    }
    mirror_spectrum(to);
  }

  // Adds the frequencies above length / 2, where those are needed.
  void mirror_spectrum(const FftLine<T>& to) const {
    for (int64_t k = spectrum_length(); axis_.full && k < axis_.length; ++k) {
      const T* const mirror = to.base + (axis_.length - k) * to.step;
      to.base[k * to.step] = mirror[0];
      to.base[k * to.step + 1] = -mirror[1];
    }
  }

  void spectrum_line(
      const Workspace<T>& space, const FftLine<T>& from, const FftLine<T>& to,
      bool parallel) const {
    const FftLine<T> z = between(space);
    const int64_t n = plan_->length;
    if (paired_ && from.dense() && joins_columns(*plan_)) {
      FftLine<T> spectrum = from;
      spectrum.roots = roots_->data();
      transform_line(*plan_, spectrum, to, space, space.middle, true, scale_, parallel);
      return;
    }
    if (paired_) {
      const T first = from.base[0], last = from.base[n * from.step];
      z.base[0] = first + last;
      z.base[1] = first - last;
      merge_halves(from, z, n, roots_->data(), joined_halves<T>);
      transform_line(*plan_, z, to, space, space.middle, true, scale_, parallel);
      return;
    }
    z.base[0] = from.base[0];
    z.base[1] = T(0);
    for (int64_t k = 1; k < spectrum_length(); ++k) {
      const T* x = from.base + k * from.step;
      T *const number = z.base + 2 * k, *const mirror = z.base + 2 * (n - k);
      number[0] = mirror[0] = x[0];
      number[1] = x[1];
      mirror[1] = -x[1];
    }
    transform_line(*plan_, z, z, space, space.middle, true, scale_, parallel);
    for (int64_t j = 0; j < n; ++j) {
      to.base[j * to.step] = z.base[2 * j];
    }
  }

  const FftAxis& axis_;
  int64_t count_; // number of lines
  bool real_;
  int side_;
  bool whole_; // whether one pass gives the full spectra of real numbers
  bool paired_;
  std::shared_ptr<const FftPlan<T>> plan_;
  std::shared_ptr<const std::vector<T>> roots_;
  bool by_eighths_;
  bool divides_;
  int64_t divided_from_;
  T scale_;
};

// ---- several axes -------------------------------------------------------------------------------

// Whether the axes are the columns and rows of planes of R * R neighbouring complex numbers.
template <int R>
bool are_planes(c10::ArrayRef<FftAxis> axes) {
  const auto is_plane = [](const FftDims& sizes, const FftDims& strides) {
    return !sizes.empty() && sizes.back() % R == 0 && strides.back() == 2 * R;
  };
  if (axes.size() != 2) {
    return false;
  }
  const FftAxis &row = axes[0], &column = axes[1];
  return row.kind == FftKind::ComplexToComplex && row.length == R && row.in_step == 2 &&
      row.out_step == 2 && is_plane(row.sizes, row.in_strides) &&
      is_plane(row.sizes, row.out_strides) && column.length == R && column.in_step == 2 * R &&
      column.scale == 1;
}

template <typename T, int R>
void run_planes(const FftAxis& rows) {
  const int64_t grain = kShared / (R * R);
  at::parallel_for(0, count_of(rows.sizes) / R, grain, [&](int64_t begin, int64_t end) {
    for_squares<T, R, 1, R>(rows, begin, end, [&](const auto& ins, const auto& outs) {
      transform_squares<T, R>(
          ins[0], outs[0], rows.inverse, static_cast<T>(rows.scale), transform_planes<T, R>);
    });
  });
}

// The axes of small volumes are transformed volume by volume, while they are in the cache.
template <typename T>
void transform_axes(c10::ArrayRef<FftAxis> axes, int64_t volumes) {
  constexpr int64_t kNear = 1 << 15, kSmall = 1 << 18; // bytes
  if constexpr (kLargestSquare<T> == 8) {
    if (are_planes<8>(axes)) {
      run_planes<T, 8>(axes[0]);
      return;
    }
  }
  c10::SmallVector<AxisTransform<T>, 4> transforms;
  int64_t rows = 0, rest = 0;
  for (const FftAxis& axis : axes) {
    transforms.emplace_back(axis);
    rows = std::max(rows, transforms.back().rows());
    rest = std::max(rest, transforms.back().rest());
  }
  const int64_t numbers = transforms.back().count() * axes.back().length / volumes;
  const int64_t bytes = numbers * 2 * static_cast<int64_t>(sizeof(T));
  if (axes.size() == 1 || volumes < at::get_num_threads() || bytes > kSmall) {
    for (const AxisTransform<T>& transform : transforms) {
      transform.run();
    }
    return;
  }
  const int64_t group = std::max<int64_t>(1, kNear / bytes);
  at::parallel_for(
      0, volumes, std::max<int64_t>(1, kShared / numbers), [&](int64_t begin, int64_t end) {
        const Workspace<T> space(rows, rest);
        for (int64_t i = begin; i < end; i += group) {
          for (const AxisTransform<T>& transform : transforms) {
            const int64_t each = transform.count() / volumes;
            transform.run_range(space, i * each, std::min(i + group, end) * each);
          }
        }
      });
}

void fft_axes(c10::ArrayRef<FftAxis> axes, int64_t volumes) {
  if (axes[0].is_double) {
    transform_axes<double>(axes, volumes);
  } else {
    transform_axes<float>(axes, volumes);
  }
}

} // namespace

REGISTER_DISPATCH(fft_axes_stub, &fft_axes)

} // namespace CPU_CAPABILITY
} // namespace at::native
