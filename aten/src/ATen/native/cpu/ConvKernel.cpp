#include <ATen/Parallel.h>
#include <ATen/native/cpu/ConvPlanes.h>

#include <type_traits>
#include <vector>

// Direct convolution and its adjoint, both as
//   sums[c][p] = bias[c] + sum over source channels i and taps k of
//                weight[i][k][c] * plane_i[offset_k + p].
// A tile of a few channels c by a few registers of positions p stays in registers while all
// i and k go by: each step loads the positions, broadcasts one weight a channel and multiplies.

namespace at::native {

namespace {

// Where the weight for a source and a target channel of a group stands.
struct WeightSteps {
  int64_t group, source, target;
};

// Accumulators, columns and a broadcast weight fit the register file.
constexpr int64_t kBlock = vec::kVectorBytes == 64 ? 8 : 4;
constexpr int64_t kBand = 768;             // positions whose sums are kept aside
constexpr int64_t kWorthAThread = 1 << 18; // multiplications

template <typename T>
class Convolver {
 public:
  Convolver(
      const ConvPlan& plan, int64_t batch, int64_t groups, int64_t sources, int64_t targets,
      const T* source, const T* bias, T* target)
      : plan_(plan),
        batch_(batch),
        groups_(groups),
        sources_(sources),
        targets_(targets),
        source_(source),
        bias_(bias),
        target_(target),
        pitch_(plan.layout.pitch()),
        plane_(plan.layout.plane()) {}

  void run(const T* weight, const WeightSteps& steps) {
    for (const ConvPhase& phase : plan_.phases) {
      weights_.push_back(pack_weights(phase, weight, steps));
      work_ += volume(phase.count) * targets_ * taps(phase);
    }
    const int64_t images = batch_ * groups_;
    const int64_t grain = images >= at::get_num_threads()
        ? std::max<int64_t>(1, kWorthAThread / std::max<int64_t>(work_, 1))
        : images;
    at::parallel_for(0, images, grain, [&](int64_t begin, int64_t end) {
      // Registers may run past the last plane.
      const int64_t room = sources_ * plane_ + kBlock * kLanes;
      const Room<T> planes(room);
      std::fill_n(planes.get(), room, T(0));
      for (int64_t image = begin; image < end; ++image) {
        one_image(image, planes.get());
      }
    });
  }

 private:
  using V = vec::Lanes<T, vec::kVectorBytes / static_cast<int>(sizeof(T))>;
  static constexpr int64_t kLanes = vec::lanes_of<V>;

  int64_t taps(const ConvPhase& phase) const {
    return sources_ * static_cast<int64_t>(phase.taps.size());
  }
  int64_t blocks() const { return (targets_ + kBlock - 1) / kBlock; }

  // How many channels the tile of a block's last channels has.
  static int64_t width_for(int64_t channels) {
    if (std::is_integral_v<T>) { // rare: not worth code for each width
      return kBlock;
    }
    return channels == 3 ? 4 : channels == 5 ? 6 : channels == 7 ? 8 : channels;
  }

  // [group][block][source][tap][channel of the block]
  Room<T> pack_weights(const ConvPhase& phase, const T* weight, const WeightSteps& steps) const {
    const int64_t all = groups_ * blocks();
    Room<T> packed(all * kBlock * taps(phase));
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, kBlock * taps(phase)));
    at::parallel_for(0, all, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % blocks() * kBlock;
        const int64_t channels = std::min(kBlock, targets_ - first);
        const int64_t width = width_for(channels);
        const T* from = weight + i / blocks() * steps.group + first * steps.target;
        T* to = packed.get() + i * kBlock * taps(phase);
        for (int64_t source = 0; source < sources_; ++source) {
          for (const int64_t tap : phase.taps) {
            const int64_t at = source * steps.source + tap;
            for (int64_t c = 0; c < width; ++c) {
              *to++ = c < channels ? from[c * steps.target + at] : T(0);
            }
          }
        }
      }
    });
    return packed;
  }

  void one_image(int64_t image, T* planes) const {
    const int64_t size = volume(plan_.layout.size);
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(plane_, 1));
    at::parallel_for(0, sources_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        pack_plane(plan_.layout, source_ + (image * sources_ + i) * size, planes + i * plane_);
      }
    });
    for (size_t i = 0; i < plan_.phases.size(); ++i) {
      one_phase(image, plan_.phases[i], weights_[i].get(), planes);
    }
  }

  // Rows are summed in bands; rows too long for one, in pieces.
  void one_phase(int64_t image, const ConvPhase& phase, const T* weights, const T* planes) const {
    const auto [slabs, rows, columns] = phase.count;
    if (slabs * rows * columns == 0) {
      return;
    }
    const int64_t piece = std::min(columns, kBand);
    const int64_t band = columns > kBand ? 1 : 1 + (kBand - columns) / pitch_;
    const int64_t pieces = (columns + piece - 1) / piece, bands = (rows + band - 1) / band;
    const int64_t unit_work = std::max<int64_t>(1, band * piece * kBlock * taps(phase));
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / unit_work);
    at::parallel_for(0, slabs * bands * pieces * blocks(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i % blocks(), rest = i / blocks();
        const Extent at = {
            rest / pieces / bands, rest / pieces % bands * band, rest % pieces * piece};
        const Extent count = {1, std::min(band, rows - at[1]), std::min(piece, columns - at[2])};
        one_unit(image, phase, block, at, count, weights, planes);
      }
    });
  }

  void one_unit(
      int64_t image, const ConvPhase& phase, int64_t block, const Extent& at, const Extent& count,
      const T* weights, const T* planes) const {
    const int64_t group = image % groups_;
    const int64_t first = block * kBlock, channels = std::min(kBlock, targets_ - first);
    T start[kBlock] = {};
    if (bias_ != nullptr) {
      std::copy_n(bias_ + group * targets_ + first, channels, start);
    }
    const int64_t positions = (count[1] - 1) * pitch_ + count[2];
    alignas(64) T sums[kBlock * (kBand + kLanes)];
    const Job job{
        &phase,
        weights + (group * blocks() + block) * kBlock * taps(phase),
        planes + at[0] * plan_.layout.slab() + at[1] * pitch_ + at[2],
        start,
        sums,
        (positions + kLanes - 1) / kLanes};
    sum_channels(width_for(channels), job);
    T* target = target_ + (image * targets_ + first) * volume(plan_.target);
    for (int64_t c = 0; c < channels; ++c) {
      store_rows(phase, at, count, sums + c * (kBand + kLanes), target + c * volume(plan_.target));
    }
  }

  void store_rows(
      const ConvPhase& phase, const Extent& at, const Extent& count, const T* sums,
      T* channel) const {
    Extent to;
    for (int d = 0; d < 3; ++d) {
      to[d] = phase.first[d] + at[d] * phase.step[d];
    }
    const Extent& size = plan_.target;
    for (int64_t row = 0; row < count[1]; ++row, sums += pitch_, to[1] += phase.step[1]) {
      T* line = channel + (to[0] * size[1] + to[1]) * size[2] + to[2];
      if (phase.step[2] == 1) {
        copy_row(line, sums, count[2]);
        continue;
      }
      for (int64_t w = 0; w < count[2]; ++w) {
        line[w * phase.step[2]] = sums[w];
      }
    }
  }

  struct Job {
    const ConvPhase* phase;
    const T* weights;
    const T* planes;
    const T* start;
    T* sums;
    int64_t registers;
  };

  void sum_channels(int64_t width, const Job& job) const {
    if constexpr (!std::is_integral_v<T>) {
      switch (width) {
        case 1:
          return sum_registers<1>(job);
        case 2:
          return sum_registers<2>(job);
        default:
          break;
      }
      if constexpr (kBlock == 8) {
        if (width == 4) {
          return sum_registers<4>(job);
        }
        if (width == 6) {
          return sum_registers<6>(job);
        }
      }
    }
    sum_registers<kBlock>(job);
  }

  template <int kWidth>
  void sum_registers(const Job& job) const {
    // Few channels need more columns to keep the multipliers busy.
    constexpr int kColumns = kBlock == 8 && kWidth <= 4 ? 4 : 3;
    int64_t at = 0;
    for (int64_t left = job.registers; left > 0; left = job.registers - at) {
      if (left >= kColumns && left != kColumns + 1) {
        tile<kWidth, kColumns>(job, at);
        at += kColumns;
      } else if (left >= 2) {
        tile<kWidth, 2>(job, at);
        at += 2;
      } else {
        tile<kWidth, 1>(job, at);
        at += 1;
      }
    }
  }

  template <int kWidth, int kColumns>
  void tile(const Job& job, int64_t at) const {
    V sum[kWidth][kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kWidth; ++c) {
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) {
        sum[c][j] = vec::splat<V>(job.start[c]);
      }
    }
    const int64_t* offsets = job.phase->offsets.data();
    const int64_t taps = static_cast<int64_t>(job.phase->offsets.size());
    const T* weights = job.weights;
    const T* plane = job.planes + at * kLanes;
    for (int64_t source = 0; source < sources_; ++source, plane += plane_) {
      for (int64_t tap = 0; tap < taps; ++tap, weights += kWidth) {
        const T* from = plane + offsets[tap];
        V in[kColumns];
#pragma GCC unroll 4
        for (int j = 0; j < kColumns; ++j) {
          in[j] = vec::load<T, kLanes>(from + j * kLanes);
        }
#pragma GCC unroll 8
        for (int c = 0; c < kWidth; ++c) {
          const V by = vec::splat<V>(weights[c]);
#pragma GCC unroll 4
          for (int j = 0; j < kColumns; ++j) {
            sum[c][j] = vec::fma(by, in[j], sum[c][j]);
          }
        }
      }
    }
#pragma GCC unroll 8
    for (int c = 0; c < kWidth; ++c) {
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) {
        vec::store<T, kLanes>(job.sums + c * (kBand + kLanes) + (at + j) * kLanes, sum[c][j]);
      }
    }
  }

  const ConvPlan& plan_;
  int64_t batch_, groups_, sources_, targets_; // channels of a group
  const T* source_;
  const T* bias_;
  T* target_;
  int64_t pitch_, plane_;
  int64_t work_ = 0;             // multiplications of an image
  std::vector<Room<T>> weights_; // of each phase
};

template <typename F>
void for_conv_type(c10::ScalarType dtype, const F& f) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return f(static_cast<float*>(nullptr));
    case c10::ScalarType::Double:
      return f(static_cast<double*>(nullptr));
    default:
      return f(static_cast<int64_t*>(nullptr));
  }
}

void convolve(
    c10::ScalarType dtype, const ConvShape& s, bool adjoint, const void* source, const void* weight,
    const void* bias, void* target) {
  const ConvPlan plan = adjoint ? conv_adjoint_plan(s) : conv_plan(s);
  const int64_t in = s.in_channels / s.groups, out = s.out_channels / s.groups;
  const int64_t kernel = volume(s.kernel);
  const WeightSteps forward{out * in * kernel, kernel, in * kernel};
  const WeightSteps steps =
      adjoint ? WeightSteps{forward.group, forward.target, forward.source} : forward;
  for_conv_type(dtype, [&]<typename T>(T*) {
    Convolver<T>(
        plan, s.batch, s.groups, adjoint ? out : in, adjoint ? in : out,
        static_cast<const T*>(source), static_cast<const T*>(bias), static_cast<T*>(target))
        .run(static_cast<const T*>(weight), steps);
  });
}

void conv_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  convolve(dtype, shape, /*adjoint=*/false, input, weight, bias, output);
}

void conv_adjoint_kernel(
    c10::ScalarType dtype, const ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input) {
  convolve(dtype, shape, /*adjoint=*/true, output, weight, bias, input);
}

} // namespace

REGISTER_DISPATCH(conv_stub, &conv_kernel)
REGISTER_DISPATCH(conv_adjoint_stub, &conv_adjoint_kernel)

} // namespace at::native
