// Fourier transforms along one axis. Lines are transformed a register's lanes at a time; a long
// line is divided into columns, which fill the lanes alone.

#include <ATen/Parallel.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/FftPasses.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// Two pairs of buffers of rows for one thread.
template <typename T>
class Workspace {
 public:
  explicit Workspace(int64_t rows) : memory_(4 * size(rows)) {
    const int64_t each = size(rows);
    T* start = memory_.get();
    a = {start, start + each};
    b = {start + 2 * each, start + 3 * each};
  }

  FftRows<T> other(FftRows<T> rows) const { return rows.re == a.re || rows.im == a.re ? b : a; }

  FftRows<T> a, b;

 private:
  // Buffers that begin at the same offset of a page would evict each other from the cache.
  static int64_t size(int64_t rows) {
    return rows * kLanes<T> + 5 * 64 / static_cast<int64_t>(sizeof(T));
  }

  Room<T> memory_;
};

template <typename T>
FftRows<T> directed(FftRows<T> rows, bool inverse) {
  return inverse ? FftRows<T>{rows.im, rows.re} : rows;
}

// ---- long lines
// -----------------------------------------------------------------------------------

// A line of `plan.length` complex numbers; `step` is at least 2.
template <typename T>
struct Line {
  T* base;
  int64_t step, im;
};

template <typename T>
FftLines<T> columns_of(const Line<T>& line, int64_t first, int64_t count, int64_t apart) {
  FftLines<T> lines{line.base, line.step * apart, line.im, {}, static_cast<int>(count), 0};
  for (int l = 0; l < count; ++l) {
    lines.offset[l] = (first + l) * line.step;
  }
  lines.settle();
  return lines;
}

// With j = rows j1 + j2 and k = k1 + columns k2, the transform over j1 is turned by w^(j2 k1) and
// transformed over j2; `middle` holds the numbers between.
template <typename T>
void transform_long(
    const FftPlan<T>& plan, Line<T> in, Line<T> out, T* middle, bool inverse, T scale,
    bool parallel) {
  constexpr int64_t L = kLanes<T>;
  const int64_t columns = plan.columns->length, rows = plan.rows->length;
  const auto blocks = [&](int64_t count, const auto& run) {
    const int64_t whole = (count + L - 1) / L;
    const auto range = [&](int64_t begin, int64_t end) {
      Workspace<T> space(std::max(columns, rows));
      for (int64_t i = begin; i < end; ++i) {
        run(space, std::min(i * L, count - L)); // the last block may overlap the one before it
      }
    };
    if (parallel) {
      at::parallel_for(0, whole, 1, range);
    } else {
      range(0, whole);
    }
  };
  blocks(rows, [&](Workspace<T>& space, int64_t first) {
    load_rows(columns_of(in, first, L, rows), columns, directed(space.a, inverse));
    const FftRows<T> z = transform_rows(*plan.columns, space.a, space.b);
    for (int64_t k = 0; k < columns; ++k) {
      const T* turn = plan.between.data() + k * rows + first;
      const Lanes<T> re = load_lanes<T>(turn), im = load_lanes<T>(turn + plan.length);
      const FftValue<T> x = load_value(z, k * L);
      store_value(z, k * L, FftValue<T>{x.re * re - x.im * im, x.re * im + x.im * re});
    }
    FftLines<T> to{middle, 2, 1, {}, static_cast<int>(L), 0};
    for (int64_t l = 0; l < L; ++l) {
      to.offset[l] = 2 * (first + l) * columns;
    }
    to.settle();
    store_rows(z, columns, T(1), to);
  });
  blocks(columns, [&](Workspace<T>& space, int64_t first) {
    const Line<T> from{middle, 2, 1};
    load_rows(columns_of(from, first, L, columns), rows, space.a);
    const FftRows<T> z = transform_rows(*plan.rows, space.a, space.b);
    store_rows(directed(z, inverse), rows, scale, columns_of(out, first, L, columns));
  });
}

template <typename T>
bool is_long(const FftPlan<T>& plan) {
  return plan.columns != nullptr || (plan.inner && plan.inner->columns);
}

// The same for lengths with a large prime factor: their convolution has a long transform.
template <typename T>
void transform_long_chirped(
    const FftPlan<T>& plan, Line<T> in, Line<T> out, bool inverse, T scale, bool parallel) {
  const FftPlan<T>& inner = *plan.inner;
  std::vector<T> x(static_cast<size_t>(2 * inner.length)), middle(x.size());
  const T sign = inverse ? T(-1) : T(1);
  for (int64_t j = 0; j < plan.length; ++j) {
    const T re = in.base[j * in.step], im = sign * in.base[j * in.step + in.im];
    const T c = plan.chirp[static_cast<size_t>(2 * j)];
    const T s = plan.chirp[static_cast<size_t>(2 * j + 1)];
    x[static_cast<size_t>(2 * j)] = re * c - im * s;
    x[static_cast<size_t>(2 * j + 1)] = re * s + im * c;
  }
  const Line<T> line{x.data(), 2, 1};
  transform_long(inner, line, line, middle.data(), false, T(1), parallel);
  for (size_t j = 0; j < x.size(); j += 2) {
    const T re = x[j], im = x[j + 1];
    x[j] = re * plan.spectrum[j] - im * plan.spectrum[j + 1];
    x[j + 1] = re * plan.spectrum[j + 1] + im * plan.spectrum[j];
  }
  transform_long(inner, line, line, middle.data(), true, T(1), parallel);
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
    const FftPlan<T>& plan, Line<T> in, Line<T> out, bool inverse, T scale, bool parallel) {
  if (plan.columns) {
    const Room<T> middle(2 * plan.length);
    transform_long(plan, in, out, middle.get(), inverse, scale, parallel);
  } else {
    transform_long_chirped(plan, in, out, inverse, scale, parallel);
  }
}

// ---- one axis
// -------------------------------------------------------------------------------------

// The offsets of lines, in the order in which they lie in memory.
struct LineOffsets {
  explicit LineOffsets(const FftAxis& axis) : axis(axis) {
    for (const int64_t size : axis.sizes) {
      count *= size;
    }
  }
  std::pair<int64_t, int64_t> operator()(int64_t line) const {
    int64_t in = 0, out = 0;
    for (size_t d = axis.sizes.size(); d-- > 0;) {
      const int64_t place = line % axis.sizes[d];
      line /= axis.sizes[d];
      in += place * axis.in_strides[d];
      out += place * axis.out_strides[d];
    }
    return {in, out};
  }

  const FftAxis& axis;
  int64_t count = 1;
};

template <typename T>
class AxisTransform {
 public:
  explicit AxisTransform(const FftAxis& axis)
      : axis_(axis),
        offsets_(axis),
        real_(axis.kind != FftKind::ComplexToComplex),
        paired_(real_ && axis.length % 2 == 0),
        plan_(fft_plan<T>(paired_ ? axis.length / 2 : axis.length)),
        scale_(static_cast<T>(axis.scale)) {
    if (paired_) {
      roots_ = fft_half_roots<T>(axis.length);
    }
  }

  void run() {
    constexpr int64_t L = kLanes<T>;
    // Long lines, and lines that would leave lanes empty, are divided.
    constexpr int64_t kLong = 1 << 14;
    constexpr int64_t kShared = 1 << 13; // the least work for a thread
    if (is_long(*plan_) && (plan_->length >= kLong || offsets_.count <= L / 2)) {
      const bool single = offsets_.count < at::get_num_threads() && plan_->length >= kShared;
      const auto lines = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          run_line(i, single);
        }
      };
      if (single) {
        lines(0, offsets_.count);
      } else {
        at::parallel_for(0, offsets_.count, std::max<int64_t>(1, kShared / plan_->length), lines);
      }
      return;
    }
    const int64_t blocks = (offsets_.count + L - 1) / L;
    const int64_t grain = std::max<int64_t>(1, 2 * kShared / (plan_->length * L));
    at::parallel_for(0, blocks, grain, [&](int64_t begin, int64_t end) {
      Workspace<T> space(std::max(plan_->work(), axis_.length) + 1);
      for (int64_t i = begin; i < end; ++i) {
        run_block(space, i * L, static_cast<int>(std::min(L, offsets_.count - i * L)));
      }
    });
  }

 private:
  T* in() const { return static_cast<T*>(const_cast<void*>(axis_.in)); } // only read
  T* out() const { return static_cast<T*>(axis_.out); }
  int64_t spectrum_length() const { return axis_.length / 2 + 1; }

  // Pairs of adjacent real numbers pass as complex ones; a single one gets itself as imaginary
  // part.
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

  void run_block(Workspace<T>& space, int64_t first, int count) {
    const Line<T> from = in_line(), to = out_line();
    FftLines<T> ins{from.base, from.step, from.im, {}, count, 0};
    FftLines<T> outs{to.base, to.step, to.im, {}, count, 0};
    for (int l = 0; l < count; ++l) {
      std::tie(ins.offset[l], outs.offset[l]) = offsets_(first + l);
    }
    ins.settle();
    outs.settle();
    if (axis_.kind == FftKind::ComplexToComplex) {
      load_rows(ins, axis_.length, directed(space.a, axis_.inverse));
      const FftRows<T> z = transform_rows(*plan_, space.a, space.b);
      store_rows(directed(z, axis_.inverse), axis_.length, scale_, outs);
    } else if (axis_.kind == FftKind::RealToComplex) {
      real_block(space, ins, outs);
    } else {
      spectrum_block(space, ins, outs);
    }
  }

  void real_block(Workspace<T>& space, const FftLines<T>& ins, const FftLines<T>& outs) {
    constexpr int64_t L = kLanes<T>;
    load_rows(ins, plan_->length, space.a);
    if (!paired_) {
      std::fill_n(space.a.im, plan_->length * L, T(0));
    }
    FftRows<T> z = transform_rows(*plan_, space.a, space.b);
    if (paired_) {
      const FftRows<T> x = space.other(z);
      separate_halves(z, plan_->length, roots_->data(), x);
      z = x;
    }
    if (axis_.inverse) { // the conjugate
      for (int64_t i = 0; i < spectrum_length() * L; ++i) {
        z.im[i] = -z.im[i];
      }
    }
    store_rows(z, spectrum_length(), scale_, outs);
  }

  void spectrum_block(Workspace<T>& space, const FftLines<T>& ins, FftLines<T>& outs) {
    constexpr int64_t L = kLanes<T>;
    const FftRows<T> x = space.a;
    load_rows(ins, spectrum_length(), x);
    if (!axis_.inverse) {
      for (int64_t i = 0; i < spectrum_length() * L; ++i) {
        x.im[i] = -x.im[i];
      }
    }
    if (paired_) {
      join_halves(x, plan_->length, roots_->data());
    } else {
      std::fill_n(x.im, L, T(0));
      for (int64_t k = 1; k < spectrum_length(); ++k) {
        const FftValue<T> value = load_value(x, k * L);
        store_value(x, (axis_.length - k) * L, FftValue<T>{value.re, -value.im});
      }
    }
    const FftRows<T> z =
        directed(transform_rows(*plan_, directed(x, true), directed(space.b, true)), true);
    if (paired_) {
      store_rows(z, plan_->length, scale_, outs);
    } else {
      store_rows(FftRows<T>{z.re, z.re}, axis_.length, scale_, outs);
    }
  }

  // ---- long lines

  void run_line(int64_t line, bool parallel) {
    const auto [in_offset, out_offset] = offsets_(line);
    Line<T> from = in_line(), to = out_line();
    from.base += in_offset;
    to.base += out_offset;
    if (axis_.kind == FftKind::ComplexToComplex) {
      transform_line(*plan_, from, to, axis_.inverse, scale_, parallel);
    } else if (axis_.kind == FftKind::RealToComplex) {
      real_line(from, to, parallel);
    } else {
      spectrum_line(from, to, parallel);
    }
  }

  void real_line(const Line<T>& from, const Line<T>& to, bool parallel) {
    const int64_t n = plan_->length;
    std::vector<T> whole;
    Line<T> z = to;
    if (paired_) {
      transform_line(*plan_, from, to, false, scale_, parallel);
    } else {
      whole.resize(static_cast<size_t>(2 * n));
      z = {whole.data(), 2, 1};
      for (int64_t j = 0; j < n; ++j) {
        whole[static_cast<size_t>(2 * j)] = from.base[j * from.step];
      }
      transform_line(*plan_, z, z, false, scale_, parallel);
    }
    const auto at = [&](const Line<T>& line, int64_t k) { return line.base + k * line.step; };
    const T sign = axis_.inverse ? T(-1) : T(1);
    if (!paired_) {
      for (int64_t k = 0; k < spectrum_length(); ++k) {
        at(to, k)[0] = at(z, k)[0];
        at(to, k)[1] = sign * at(z, k)[1];
      }
      return;
    }
    const T* roots = roots_->data();
    for (int64_t k = 0; k <= n / 2; ++k) {
      const T* a = at(to, k);
      const T* b = at(to, k == 0 ? 0 : n - k);
      const T even_re = (a[0] + b[0]) / 2, even_im = (a[1] - b[1]) / 2;
      const T odd_re = (a[1] + b[1]) / 2, odd_im = (b[0] - a[0]) / 2;
      const T c = roots[2 * k], s = roots[2 * k + 1];
      const T re = odd_re * c - odd_im * s, im = odd_re * s + odd_im * c;
      T *first = at(to, k), *second = at(to, n - k);
      first[0] = even_re + re;
      first[1] = sign * (even_im + im);
      second[0] = even_re - re;
      second[1] = sign * (im - even_im);
    }
  }

  void spectrum_line(const Line<T>& from, const Line<T>& to, bool parallel) {
    const int64_t n = plan_->length;
    std::vector<T> whole(static_cast<size_t>(2 * n));
    const Line<T> z{whole.data(), 2, 1};
    const T sign = axis_.inverse ? T(1) : T(-1);
    const auto number = [&](int64_t k) {
      const T* x = from.base + k * from.step;
      return std::pair<T, T>(x[0], sign * x[1]);
    };
    const auto put = [&](int64_t k, T re, T im) {
      whole[static_cast<size_t>(2 * k)] = re;
      whole[static_cast<size_t>(2 * k + 1)] = im;
    };
    if (!paired_) {
      put(0, number(0).first, T(0));
      for (int64_t k = 1; k < spectrum_length(); ++k) {
        const auto [re, im] = number(k);
        put(k, re, im);
        put(axis_.length - k, re, -im);
      }
      transform_line(*plan_, z, z, true, scale_, parallel);
      for (int64_t j = 0; j < n; ++j) {
        to.base[j * to.step] = whole[static_cast<size_t>(2 * j)];
      }
      return;
    }
    const T* roots = roots_->data();
    for (int64_t k = 0; k <= n / 2; ++k) {
      auto [a_re, a_im] = number(k);
      auto [b_re, b_im] = number(n - k);
      if (k == 0) {
        a_im = b_im = 0;
      }
      const T c = roots[2 * k], s = -roots[2 * k + 1];
      const T re = a_re - b_re, im = a_im + b_im;
      const T odd_re = re * c - im * s, odd_im = re * s + im * c;
      put(k, a_re + b_re - odd_im, a_im - b_im + odd_re);
      if (k != 0) {
        put(n - k, a_re + b_re + odd_im, odd_re - (a_im - b_im));
      }
    }
    transform_line(*plan_, z, to, true, scale_, parallel);
  }

  const FftAxis& axis_;
  LineOffsets offsets_;
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
