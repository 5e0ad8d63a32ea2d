// Fourier transforms along one axis. Lines are transformed a register's lanes at a time; a long
// line is divided into columns, which fill the lanes alone.

#include <ATen/Parallel.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/FftPasses.h>

#include <c10/util/SmallVector.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Buffers for one thread: two of rows, and the rest for divided lines.
template <typename T>
class Workspace {
 public:
  explicit Workspace(int64_t rows, int64_t rest = 0) : memory_(2 * size(rows) + rest) {
    T* start = memory_.get();
    a = {start};
    b = {start + size(rows)};
    middle = start + 2 * size(rows);
  }

  FftRows<T> other(FftRows<T> rows) const { return rows.start == a.start ? b : a; }

  FftRows<T> a, b;
  T* middle;

 private:
  // Buffers that begin at the same offset of a page would evict each other from the cache.
  static int64_t size(int64_t rows) {
    return rows * FftRows<T>::kStep + 5 * 64 / static_cast<int64_t>(sizeof(T));
  }

  Room<T> memory_;
};

// ---- long lines ---------------------------------------------------------------------------------

// A line of complex numbers.
template <typename T>
struct Line {
  T* base;
  int64_t step, im;
  int64_t ahead = 0; // the distance to the line that will be read next

  bool dense() const { return step == 2 && im == 1; }
};

// The first of every `apart` numbers form a line; a register takes those that begin at `first`.
template <typename T>
FftLines<T> columns_of(const Line<T>& line, int64_t first, int64_t apart) {
  constexpr int L = kLanes<T>;
  FftLines<T> lines{line.base, line.step * apart, line.im, {}, L};
  for (int l = 0; l < L; ++l) {
    lines.offset[l] = (first + l) * line.step;
  }
  lines.settle();
  return lines;
}
// The same for a line whose numbers lie next to each other.
template <typename T>
FftAdjacentLines<T> dense_columns_of(
    const Line<T>& line, int64_t first, int64_t apart, bool exchange, T scale) {
  T* const low = line.base + 2 * first;
  return {low, low + kLanes<T>, 2 * apart, exchange, scale, line.ahead};
}

// Between the two steps of a long transform, its numbers form blocks: as many columns as a register
// has lanes, row by row. The last block may overlap the one before it.
template <typename T>
int64_t middle_size(const FftPlan<T>& plan) {
  return at::divup(plan.columns->length, kLanes<T>) * plan.rows->length * FftRows<T>::kStep;
}

// Rows of such a block, turned. The memory of the results is requested on the way.
template <typename T>
struct TurnedRows {
  FftRows<T> rows;
  const T *turn_re, *turn_im;
  int64_t step;
  const T* target;
  int64_t target_step;

  C10_ALWAYS_INLINE FftValue<T> load(int64_t j) const {
    const T* const to = target + j * target_step;
    __builtin_prefetch(to, 1, 2);
    __builtin_prefetch(to + kLanes<T>, 1, 2);
    const Lanes<T> re = load_lanes<T>(turn_re + j * step), im = load_lanes<T>(turn_im + j * step);
    return times<T>(rows.load(j), re, im);
  }
};

// With j = rows j1 + j2 and k = k1 + columns k2, the transform over j1 is turned by w^(j2 k1) and
// transformed over j2; `middle` holds the numbers between.
template <typename T>
void transform_long(
    const FftPlan<T>& plan, Line<T> in, Line<T> out, const Workspace<T>& own, T* middle,
    bool inverse, T scale, bool parallel) {
  constexpr int64_t L = kLanes<T>;
  const FftPlan<T>&column_plan = *plan.columns, &row_plan = *plan.rows;
  const int64_t columns = column_plan.length, rows = row_plan.length;
  const auto blocks = [&](int64_t count, const auto& run) {
    const auto range = [&](const Workspace<T>& space, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        run(space, i, std::min(i * L, count - L));
      }
    };
    const int64_t whole = at::divup(count, L);
    if (parallel) {
      at::parallel_for(
          0, whole, 1, [&](int64_t begin, int64_t end) { range(Workspace<T>(rows), begin, end); });
    } else {
      range(own, 0, whole);
    }
  };
  const auto block = [&](int64_t i) { return FftRows<T>{middle + i * rows * FftRows<T>::kStep}; };
  blocks(rows, [&](const Workspace<T>& space, int64_t, int64_t first) {
    FftRows<T> z = space.a;
    if (in.dense()) {
      const auto from = dense_columns_of(in, first, rows, inverse, T(1));
      z = run_passes(column_plan, column_plan.passes.size(), from, space.a, space.b);
    } else {
      load_rows(columns_of(in, first, rows), columns, inverse, space.a);
      z = transform_rows(column_plan, space.a, space.b);
    }
    for (int64_t i = 0; i * L < columns; ++i) {
      const FftRows<T> to = block(i);
      transpose_rows(z, std::min(i * L, columns - L), to, first);
    }
  });
  blocks(columns, [&](const Workspace<T>& space, int64_t i, int64_t first) {
    const T* turn = plan.between.data() + first;
    const TurnedRows<T> from{
        block(i),
        turn,
        turn + plan.between.size() / 2,
        plan.between_step(),
        out.base + first * out.step,
        columns * out.step};
    if (out.dense()) {
      const auto to = dense_columns_of(out, first, columns, inverse, scale);
      run_passes(row_plan, from, to, space.a, space.b);
    } else {
      const auto z = run_passes(row_plan, row_plan.passes.size(), from, space.a, space.b);
      store_rows(z, rows, inverse, scale, columns_of(out, first, columns));
    }
  });
}

template <typename T>
bool is_long(const FftPlan<T>& plan) {
  return plan.columns != nullptr || (plan.inner && plan.inner->columns);
}

// The same for lengths with a large prime factor: their convolution has a long transform.
template <typename T>
void transform_long_chirped(
    const FftPlan<T>& plan, Line<T> in, Line<T> out, const Workspace<T>& own, T* middle,
    bool inverse, T scale, bool parallel) {
  const FftPlan<T>& inner = *plan.inner;
  std::vector<T> x(static_cast<size_t>(2 * inner.length));
  const T sign = inverse ? T(-1) : T(1);
  for (int64_t j = 0; j < plan.length; ++j) {
    const T re = in.base[j * in.step], im = sign * in.base[j * in.step + in.im];
    const T c = plan.chirp[static_cast<size_t>(2 * j)];
    const T s = plan.chirp[static_cast<size_t>(2 * j + 1)];
    x[static_cast<size_t>(2 * j)] = re * c - im * s;
    x[static_cast<size_t>(2 * j + 1)] = re * s + im * c;
  }
  const Line<T> line{x.data(), 2, 1};
  transform_long(inner, line, line, own, middle, false, T(1), parallel);
  for (size_t j = 0; j < x.size(); j += 2) {
    const T re = x[j], im = x[j + 1];
    x[j] = re * plan.spectrum[j] - im * plan.spectrum[j + 1];
    x[j + 1] = re * plan.spectrum[j + 1] + im * plan.spectrum[j];
  }
  transform_long(inner, line, line, own, middle, true, T(1), parallel);
  for (int64_t j = 0; j < plan.length; ++j) {
    const T re = x[static_cast<size_t>(2 * j)], im = x[static_cast<size_t>(2 * j + 1)];
    const T c = plan.chirp[static_cast<size_t>(2 * j)];
    const T s = plan.chirp[static_cast<size_t>(2 * j + 1)];
    out.base[j * out.step] = scale * (re * c - im * s);
    out.base[j * out.step + out.im] = sign * scale * (re * s + im * c);
  }
}

template <typename T>
void transform_line(
    const FftPlan<T>& plan, Line<T> in, Line<T> out, const Workspace<T>& own, T* middle,
    bool inverse, T scale, bool parallel) {
  const auto transform = plan.columns ? transform_long<T> : transform_long_chirped<T>;
  transform(plan, in, out, own, middle, inverse, scale, parallel);
}

// ---- one axis -----------------------------------------------------------------------------------

// The offsets of lines, in the order in which they lie in memory.
class LineOffsets {
 public:
  LineOffsets(const FftAxis& axis, int64_t line) : axis_(axis), places_(axis.sizes.size()) {
    for (size_t d = places_.size(); d-- > 0;) {
      places_[d] = line % axis.sizes[d];
      line /= axis.sizes[d];
      in += places_[d] * axis.in_strides[d];
      out += places_[d] * axis.out_strides[d];
    }
  }

  void advance() {
    for (size_t d = places_.size(); d-- > 0;) {
      in += axis_.in_strides[d];
      out += axis_.out_strides[d];
      if (++places_[d] < axis_.sizes[d]) {
        return;
      }
      in -= places_[d] * axis_.in_strides[d];
      out -= places_[d] * axis_.out_strides[d];
      places_[d] = 0;
    }
  }

  int64_t in = 0, out = 0;

 private:
  const FftAxis& axis_;
  c10::SmallVector<int64_t, 6> places_;
};

template <typename T>
class AxisTransform {
 public:
  explicit AxisTransform(const FftAxis& axis)
      : axis_(axis),
        real_(axis.kind != FftKind::ComplexToComplex),
        paired_(real_ && axis.length % 2 == 0),
        plan_(fft_plan<T>(paired_ ? axis.length / 2 : axis.length)),
        scale_(static_cast<T>(axis.scale)) {
    if (paired_) {
      roots_ = fft_half_roots<T>(axis.length);
    }
    for (const int64_t size : axis.sizes) {
      count_ *= size;
    }
  }

  void run() {
    constexpr int64_t kShared = 1 << 13; // the least work for a thread
    if (divides()) {
      const bool single = count_ < at::get_num_threads() && plan_->length >= kShared;
      const auto lines = [&](int64_t begin, int64_t end) {
        const Workspace<T> space(
            divided().rows->length, middle_size(divided()) + 2 * plan_->length);
        LineOffsets offsets(axis_, begin);
        for (int64_t i = begin; i < end; ++i) {
          const LineOffsets now = offsets;
          offsets.advance();
          run_line(space, now, i + 1 < end ? offsets.in - now.in : 0, single);
        }
      };
      if (single) {
        lines(0, count_);
      } else {
        at::parallel_for(0, count_, std::max<int64_t>(1, kShared / plan_->length), lines);
      }
      return;
    }
    const int64_t blocks = at::divup(count_, L);
    const int64_t grain = std::max<int64_t>(1, 2 * kShared / (plan_->length * L));
    at::parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      const Workspace<T> space(std::max(plan_->work(), axis_.length) + 1);
      LineOffsets offsets(axis_, begin * L);
      for (int64_t i = begin; i < end; ++i) {
        run_block(space, offsets, static_cast<int>(std::min(L, count_ - i * L)));
      }
    });
  }

 private:
  static constexpr int64_t L = kLanes<T>;

  // Whether lines are divided into columns, instead of a register taking a line in each lane.
  bool divides() const {
    constexpr int64_t kLong = 1 << 14;
    // Buffers for more numbers of all lanes take longer to reach than dividing takes.
    constexpr int64_t kShort = at::vec::kVectorBytes == 16 ? kLong : 16384 / at::vec::kVectorBytes;
    if (!is_long(*plan_)) {
      return false;
    }
    const bool fills = plan_->columns && plan_->columns->length % L == 0 &&
        plan_->rows->length % L == 0 && in_line().dense() && out_line().dense();
    return plan_->length >= kLong || count_ <= L / 2 || (plan_->length > kShort && fills);
  }

  T* in() const { return static_cast<T*>(const_cast<void*>(axis_.in)); } // only read
  T* out() const { return static_cast<T*>(axis_.out); }
  int64_t spectrum_length() const { return axis_.length / 2 + 1; }

  // Pairs of adjacent real numbers pass as complex ones; a single one is read once.
  Line<T> real_side(T* base, int64_t step) const {
    return paired_ ? Line<T>{base, 2 * step, step} : Line<T>{base, step, 0};
  }
  Line<T> in_line() const {
    return axis_.kind == FftKind::RealToComplex ? real_side(in(), axis_.in_step)
                                                : Line<T>{in(), axis_.in_step, 1};
  }
  Line<T> out_line() const {
    return axis_.kind == FftKind::ComplexToReal ? real_side(out(), axis_.out_step)
                                                : Line<T>{out(), axis_.out_step, 1};
  }

  void run_block(const Workspace<T>& space, LineOffsets& offsets, int count) {
    const Line<T> from = in_line(), to = out_line();
    FftLines<T> ins{from.base, from.step, from.im, {}, count};
    FftLines<T> outs{to.base, to.step, to.im, {}, count};
    for (int l = 0; l < count; ++l, offsets.advance()) {
      ins.offset[l] = offsets.in;
      outs.offset[l] = offsets.out;
    }
    ins.settle();
    outs.settle();
    if (axis_.kind == FftKind::ComplexToComplex) {
      complex_block(space, ins, outs);
    } else if (axis_.kind == FftKind::RealToComplex) {
      real_block(space, ins, outs);
    } else {
      spectrum_block(space, ins, outs);
    }
  }

  void complex_block(const Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) {
    using Moves = typename FftLines<T>::Moves;
    if (ins.moves == Moves::AdjacentLines && outs.moves == ins.moves && !plan_->inner) {
      const auto source = ins.adjacent(axis_.inverse);
      run_passes(*plan_, source, outs.adjacent(axis_.inverse, scale_), space.a, space.b);
      return;
    }
    load_rows(ins, axis_.length, axis_.inverse, space.a);
    const FftRows<T> z = transform_rows(*plan_, space.a, space.b);
    store_rows(z, axis_.length, axis_.inverse, scale_, outs);
  }

  void real_block(const Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) {
    load_rows(ins, plan_->length, false, space.a);
    if (!paired_) {
      for (int64_t j = 0; j < plan_->length; ++j) {
        space.a.store(j, {space.a.load(j).re, Lanes<T>{}});
      }
    }
    FftRows<T> z = transform_rows(*plan_, space.a, space.b);
    if (paired_) {
      const FftRows<T> x = space.other(z);
      separate_halves(z, plan_->length, roots_->data(), x);
      z = x;
    }
    if (axis_.inverse) {
      conjugate(z);
    }
    store_rows(z, spectrum_length(), false, scale_, outs);
  }

  void spectrum_block(const Workspace<T>& space, const FftLines<T>& ins, FftLines<T>& outs) {
    const FftRows<T> x = space.a;
    load_rows(ins, spectrum_length(), false, x);
    if (!axis_.inverse) {
      conjugate(x);
    }
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
    const FftRows<T> z = transform_rows(*plan_, x, space.b);
    store_rows(z, plan_->length, true, scale_, outs);
  }

  void conjugate(FftRows<T> x) const {
    for (int64_t k = 0; k < spectrum_length(); ++k) {
      const FftValue<T> value = x.load(k);
      x.store(k, {value.re, -value.im});
    }
  }

  // ---- long lines

  void run_line(
      const Workspace<T>& space, const LineOffsets& offsets, int64_t ahead, bool parallel) {
    Line<T> from = in_line(), to = out_line();
    from.base += offsets.in;
    from.ahead = ahead;
    to.base += offsets.out;
    if (axis_.kind == FftKind::ComplexToComplex) {
      transform_line(*plan_, from, to, space, space.middle, axis_.inverse, scale_, parallel);
    } else if (axis_.kind == FftKind::RealToComplex) {
      real_line(space, from, to, parallel);
    } else {
      spectrum_line(space, from, to, parallel);
    }
  }

  const FftPlan<T>& divided() const { return plan_->inner ? *plan_->inner : *plan_; }

  // Room for the complex numbers of a real line, beyond what dividing it needs.
  Line<T> planes_of(const Workspace<T>& space) const {
    return {space.middle + middle_size(divided()), 1, plan_->length};
  }

  static FftValue<T> load_numbers(const Line<T>& line, int64_t first) {
    FftValue<T> x;
    const T* from = line.base + first * line.step;
    if (line.step == 1) {
      x = {load_lanes<T>(from), load_lanes<T>(from + line.im)};
    } else if (line.step == 2) {
      x = {load_lanes<T>(from), load_lanes<T>(from + L)};
      separate_registers<T>(x.re, x.im);
    } else {
      for (int l = 0; l < L; ++l) {
        x.re[l] = from[l * line.step];
        x.im[l] = from[l * line.step + line.im];
      }
    }
    return x;
  }
  static void store_numbers(const Line<T>& line, int64_t first, FftValue<T> x) {
    T* to = line.base + first * line.step;
    if (line.step == 1) {
      store_lanes<T>(to, x.re);
      store_lanes<T>(to + line.im, x.im);
    } else if (line.step == 2) {
      interleave_registers<T>(x.re, x.im);
      store_lanes<T>(to, x.re);
      store_lanes<T>(to + L, x.im);
    } else {
      for (int l = 0; l < L; ++l) {
        to[l * line.step] = x.re[l];
        to[l * line.step + line.im] = x.im[l];
      }
    }
  }
  static FftValue<T> reversed(FftValue<T> x) {
    return {reversed_register<T>(x.re), reversed_register<T>(x.im)};
  }

  // Makes numbers k and half - k of a line from those of another, for 0 < k <= half / 2. One
  // register holds consecutive values of k; divided lines are long enough to fill it.
  template <typename Merge>
  void merge_halves(const Line<T>& from, const Line<T>& to, T in_sign, T out_sign, Merge merge) {
    const int64_t half = plan_->length, middle = half / 2;
    for (int64_t k = 1; k <= middle; k += L) {
      const int64_t first = std::min(k, middle + 1 - L), mirror = half - first - (L - 1);
      FftValue<T> a = load_numbers(from, first), b = reversed(load_numbers(from, mirror));
      a.im *= in_sign;
      b.im *= in_sign;
      const FftValue<T> root = load_numbers({const_cast<T*>(roots_->data()), 2, 1}, first);
      auto [x, y] = merge(a, b, root.re, root.im);
      x.im *= out_sign;
      y.im *= out_sign;
      store_numbers(to, first, x);
      store_numbers(to, mirror, reversed(y));
    }
  }

  void real_line(const Workspace<T>& space, const Line<T>& from, const Line<T>& to, bool parallel) {
    const Line<T> z = planes_of(space);
    const T sign = axis_.inverse ? T(-1) : T(1);
    const auto put = [&](int64_t k, T re, T im) {
      to.base[k * to.step] = re;
      to.base[k * to.step + to.im] = im;
    };
    if (paired_) {
      transform_line(*plan_, from, z, space, space.middle, false, scale_, parallel);
      put(0, z.base[0] + z.base[z.im], T(0));
      put(plan_->length, z.base[0] - z.base[z.im], T(0));
      merge_halves(z, to, T(1), sign, separated_halves<T>);
      return;
    }
    for (int64_t j = 0; j < plan_->length; ++j) {
      z.base[j] = from.base[j * from.step];
      z.base[j + z.im] = T(0);
    }
    transform_line(*plan_, z, z, space, space.middle, false, scale_, parallel);
    for (int64_t k = 0; k < spectrum_length(); ++k) {
      put(k, z.base[k], sign * z.base[k + z.im]);
    }
  }

  void spectrum_line(
      const Workspace<T>& space, const Line<T>& from, const Line<T>& to, bool parallel) {
    const Line<T> z = planes_of(space);
    const int64_t n = plan_->length;
    const T sign = axis_.inverse ? T(1) : T(-1);
    if (paired_) {
      const T first = from.base[0], last = from.base[n * from.step];
      z.base[0] = first + last;
      z.base[z.im] = first - last;
      merge_halves(from, z, sign, T(1), joined_halves<T>);
    } else {
      z.base[0] = from.base[0];
      z.base[z.im] = T(0);
      for (int64_t k = 1; k < spectrum_length(); ++k) {
        const T* x = from.base + k * from.step;
        z.base[k] = z.base[n - k] = x[0];
        z.base[k + z.im] = sign * x[1];
        z.base[n - k + z.im] = -sign * x[1];
      }
    }
    transform_line(*plan_, z, paired_ ? to : z, space, space.middle, true, scale_, parallel);
    for (int64_t j = 0; j < n && !paired_; ++j) {
      to.base[j * to.step] = z.base[j];
    }
  }

  const FftAxis& axis_;
  int64_t count_ = 1; // number of lines
  bool real_, paired_;
  std::shared_ptr<const FftPlan<T>> plan_;
  std::shared_ptr<const std::vector<T>> roots_;
  T scale_;
};

void fft_axis(const FftAxis& axis) {
  if (axis.is_double) {
    AxisTransform<double>(axis).run();
  } else {
    AxisTransform<float>(axis).run();
  }
}

} // namespace

REGISTER_DISPATCH(fft_axis_stub, &fft_axis)

} // namespace CPU_CAPABILITY
} // namespace at::native
