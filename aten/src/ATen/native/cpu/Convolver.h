#pragma once

#include <ATen/Parallel.h>
#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/ConvPlanes.h>
#include <ATen/native/cpu/Room.h>
#include <ATen/native/cpu/TransposedCopy.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

// Direct convolution and its adjoint. Source channels are packed into planes, a few images at a
// time. Each block of target channels then processes these images one rectangle of positions at a
// time, so that the block's weights stay in the cache. A Tile computes one rectangle,
//   sums[c][p] = bias[c] + sum over steps s of source[place_p + step_s] * weights[s][c],
// where a step is a source channel and a tap. Consecutive steps form stripes: those of some source
// channels and one tap. At the padding, a Tile leaves out the positions for which a stripe reads
// only zeros.

namespace at::native {
inline namespace CPU_CAPABILITY {

struct ConvStripe {
  int64_t first, count; // steps
  ConvShape::Extent place{};
  bool of_one_tap = false; // otherwise `place` is not known
};

// The order of the steps, and the stripes that they form.
struct ConvOrder {
  std::vector<int64_t> step; // [source channel][tap]
  std::vector<ConvStripe> stripes;
};

template <typename T>
struct ConvJob {
  const T* source; // at the rectangle's first position
  const int64_t* steps;
  int64_t count; // number of steps
  const std::vector<ConvStripe>& stripes;
  const PlaneLayout& layout;
  ConvShape::Extent at; // coordinates of the first position in a padded plane
  const T* weights;
  const T* bias;    // zeros if there is none
  int64_t channels; // packed weights
  int64_t rows, columns;
  ConvShape::Extent source_step; // steps between positions, in indices of a plane
  int64_t row_step, column_step; // offsets of the positions in the source
};

// The index of the weight for a source and a target channel of a group.
struct WeightSteps {
  int64_t group, source, target;
};

template <typename T, template <typename> class Tile>
class Convolver {
 public:
  Convolver(
      const ConvPlan& plan, int64_t batch, int64_t groups, int64_t sources, int64_t targets,
      const T* source, const T* bias, T* target)
      : plan_(plan),
        images_(batch * groups),
        groups_(groups),
        sources_(sources),
        targets_(targets),
        source_(source),
        bias_(bias),
        target_(target),
        plane_(plane_room(plan.layout.plane())) {}

  void run(const T* weight, const WeightSteps& steps) {
    std::vector<Factors> factors;
    factors.reserve(plan_.phases.size());
    for (const ConvPhase& phase : plan_.phases) {
      ConvOrder order = order_of(phase);
      factors.push_back(
          {pack_weights(phase, order, weight, steps), source_steps(phase, order),
           std::move(order.stripes)});
    }
    const int64_t size = sources_ * plane_;
    const int64_t fitting = kPlaneBytes / std::max<int64_t>(1, size * sizeof(T));
    const int64_t together = std::clamp<int64_t>(fitting, 1, images_);
    const Room<T> planes(together * size + Tile<T>::kOverrun);
    std::fill_n(planes.get() + together * size, Tile<T>::kOverrun, T(0));
    for (int64_t first = 0; first < images_; first += together) {
      const int64_t images = std::min(together, images_ - first);
      pack_planes(first, images, planes.get());
      for (size_t i = 0; i < plan_.phases.size(); ++i) {
        one_phase(first, images, plan_.phases[i], factors[i], planes.get());
      }
    }
  }

 private:
  static constexpr int64_t kBlock = Tile<T>::kChannels;

  // Planes are an odd number of cache lines apart: the same position in many of them would
  // otherwise compete for few sets of the cache.
  static int64_t plane_room(int64_t elements) {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
    return elements > kLine ? (at::divup(elements, kLine) | 1) * kLine : elements;
  }
  static constexpr int64_t kWorthAThread = 1 << 18; // number of multiplications
  static constexpr int64_t kPlaneBytes = 1 << 20;   // size of the images that are packed together
  static constexpr int64_t kSources = 48;           // least number of channels of a stripe

  // The packed weights of a phase, and the source offsets of the elements they multiply.
  struct Factors {
    Room<T> weights; // [group][block][step][channel of the block]
    std::vector<int64_t> steps;
    std::vector<ConvStripe> stripes;
  };

  int64_t steps_of(const ConvPhase& phase) const {
    return sources_ * static_cast<int64_t>(phase.taps.size());
  }
  int64_t blocks() const { return (targets_ + kBlock - 1) / kBlock; }

  // The taps of each column, since taps of different columns leave out different positions.
  std::vector<std::vector<int64_t>> columns_of(const ConvPhase& phase) const {
    std::map<int64_t, std::vector<int64_t>> columns;
    for (size_t tap = 0; tap < phase.places.size(); ++tap) {
      columns[phase.places[tap][2]].push_back(static_cast<int64_t>(tap));
    }
    std::vector<std::vector<int64_t>> result;
    result.reserve(columns.size());
    for (auto& [place, taps] : columns) {
      result.push_back(std::move(taps));
    }
    return result;
  }

  // The share of the products that have an element of the source as a factor, not the padding.
  double share_inside(const ConvPhase& phase) const {
    double inside = 0;
    for (const Extent& place : phase.places) {
      double share = 1;
      for (int d = 0; d < 3; ++d) {
        int64_t positions = 0;
        for (int64_t i = 0; i < phase.count[d]; ++i) {
          const int64_t at = place[d] + i * phase.source_step[d] - plan_.layout.lead[d];
          positions += at >= 0 && at < plan_.layout.size[d];
        }
        share *= static_cast<double>(positions) / static_cast<double>(phase.count[d]);
      }
      inside += share;
    }
    return inside / static_cast<double>(phase.places.size());
  }

  // Steps are ordered by columns where enough of the padding is left out to pay for sums of fewer
  // steps, which read more of the source between two uses of the same element.
  ConvOrder order_of(const ConvPhase& phase) const {
    const auto taps = static_cast<int64_t>(phase.taps.size());
    ConvOrder order{std::vector<int64_t>(static_cast<size_t>(sources_ * taps)), {}};
    const auto columns = columns_of(phase);
    int64_t lines = 1; // taps of a column
    for (const auto& column : columns) {
      lines = std::max(lines, static_cast<int64_t>(column.size()));
    }
    const int64_t blocks = at::divup(sources_ * lines, Tile<T>::kSteps);
    constexpr double kWorthwhile = 15.0 / 16;
    if (Tile<T>::kPositionsAdjoin || sources_ / blocks < kSources ||
        sources_ * lines < Tile<T>::kSteps / 2 || share_inside(phase) > kWorthwhile) {
      std::iota(order.step.begin(), order.step.end(), 0);
      for (int64_t step = 0; step < sources_ * taps; step += Tile<T>::kSteps) {
        order.stripes.push_back({step, std::min(Tile<T>::kSteps, sources_ * taps - step)});
      }
      return order;
    }
    int64_t next = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = sources_ * block / blocks, last = sources_ * (block + 1) / blocks;
      for (const auto& column : columns) {
        for (const int64_t tap : column) {
          order.stripes.push_back({next, last - first, phase.places[tap], true});
          for (int64_t source = first; source < last; ++source) {
            order.step[source * taps + tap] = next++;
          }
        }
      }
    }
    return order;
  }

  std::vector<int64_t> source_steps(const ConvPhase& phase, const ConvOrder& order) const {
    std::vector<int64_t> steps(order.step.size());
    size_t i = 0;
    for (int64_t source = 0; source < sources_; ++source) {
      for (const int64_t offset : phase.offsets) {
        steps[order.step[i++]] = source * plane_ + offset;
      }
    }
    return steps;
  }

  Room<T> pack_weights(
      const ConvPhase& phase, const ConvOrder& order, const T* weight,
      const WeightSteps& steps) const {
    const int64_t all = groups_ * blocks(), size = kBlock * steps_of(phase);
    Room<T> packed(all * size);
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(1, size));
    at::parallel_for(0, all, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % blocks() * kBlock;
        const int64_t channels = std::min(kBlock, targets_ - first);
        pack_block(
            phase, order, weight + i / blocks() * steps.group + first * steps.target, steps,
            channels, packed.get() + i * size);
      }
    });
    return packed;
  }

  void pack_block(
      const ConvPhase& phase, const ConvOrder& order, const T* from, const WeightSteps& steps,
      int64_t channels, T* to) const {
    const int64_t width = Tile<T>::packed_channels(channels);
    const auto taps = static_cast<int64_t>(phase.taps.size());
    if (width > channels) {
      std::fill_n(to, width * sources_ * taps, T(0));
    }
    const bool adjacent = taps > 0 && phase.taps.back() == taps - 1; // the taps are consecutive
    const auto row = [&](int64_t i) { return to + order.step[i] * width; };
    if (adjacent && steps.source == taps) {
      return copy_transposed(from, steps.target, channels, sources_ * taps, row);
    }
    for (int64_t source = 0; source < sources_; ++source, from += steps.source) {
      const int64_t first = source * taps;
      if (adjacent) {
        copy_transposed(
            from, steps.target, channels, taps, [&](int64_t i) { return row(first + i); });
        continue;
      }
      for (int64_t i = 0; i < taps; ++i) {
        for (int64_t c = 0; c < channels; ++c) {
          row(first + i)[c] = from[c * steps.target + phase.taps[i]];
        }
      }
    }
  }

  void pack_planes(int64_t first, int64_t images, T* planes) const {
    const int64_t size = volume(plan_.layout.size);
    const int64_t grain =
        std::max<int64_t>(1, at::internal::GRAIN_SIZE / std::max<int64_t>(plane_, 1));
    at::parallel_for(0, images * sources_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        pack_plane(plan_.layout, source_ + (first * sources_ + i) * size, planes + i * plane_);
      }
    });
  }

  // Rows are summed in bands; rows too long for a band are split.
  void one_phase(
      int64_t first, int64_t images, const ConvPhase& phase, const Factors& factors,
      const T* planes) const {
    const int64_t slabs = phase.count[0], rows = phase.count[1], columns = phase.count[2];
    if (slabs * rows * columns == 0) {
      return;
    }
    const int64_t piece = std::min(columns, Tile<T>::kPositions);
    const int64_t pitch = Tile<T>::kPositionsAdjoin ? plan_.layout.pitch() : columns;
    const int64_t most =
        columns > Tile<T>::kPositions ? 1 : 1 + (Tile<T>::kPositions - columns) / pitch;
    const int64_t bands = (rows + most - 1) / most, band = (rows + bands - 1) / bands;
    const int64_t pieces = (columns + piece - 1) / piece;
    const int64_t work = std::max<int64_t>(1, band * piece * kBlock * steps_of(phase));
    const int64_t grain = std::max<int64_t>(1, kWorthAThread / work);
    const int64_t units = blocks() * images * slabs * bands * pieces;
    at::parallel_for(0, units, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i;
        const auto digit = [&](int64_t base) {
          const int64_t value = rest % base;
          rest /= base;
          return value;
        };
        Extent at, count{1, band, piece};
        at[2] = digit(pieces) * piece;
        at[1] = digit(bands) * band;
        at[0] = digit(slabs);
        const int64_t image = digit(images);
        for (int d = 1; d < 3; ++d) {
          count[d] = std::min(count[d], phase.count[d] - at[d]);
        }
        one_unit(
            first + image, phase, rest, at, count, factors, planes + image * sources_ * plane_);
      }
    });
  }

  void one_unit(
      int64_t image, const ConvPhase& phase, int64_t block, const Extent& at, const Extent& count,
      const Factors& factors, const T* planes) const {
    const int64_t group = image % groups_;
    const int64_t first = block * kBlock, channels = std::min(kBlock, targets_ - first);
    T bias[kBlock] = {};
    if (bias_ != nullptr) {
      std::copy_n(bias_ + group * targets_ + first, channels, bias);
    }
    const ConvJob<T> job{
        .source = planes + phase.place(plan_.layout, at),
        .steps = factors.steps.data(),
        .count = steps_of(phase),
        .stripes = factors.stripes,
        .layout = plan_.layout,
        .at =
            {at[0] * phase.source_step[0], at[1] * phase.source_step[1],
             at[2] * phase.source_step[2]},
        .weights = factors.weights.get() + (group * blocks() + block) * kBlock * steps_of(phase),
        .bias = bias,
        .channels = Tile<T>::packed_channels(channels),
        .rows = count[1],
        .columns = count[2],
        .source_step = phase.source_step,
        .row_step = phase.source_step[1] * plan_.layout.pitch(),
        .column_step = phase.source_step[2]};
    alignas(64) T sums[kBlock * Tile<T>::kRoom];
    Tile<T>::sum(job, sums);
    T* target = target_ + (image * targets_ + first) * volume(plan_.target);
    for (int64_t c = 0; c < channels; ++c) {
      store_rows(
          phase, at, count, sums + c * Tile<T>::kRoom, Tile<T>::pitch(job),
          target + c * volume(plan_.target));
    }
  }

  void store_rows(
      const ConvPhase& phase, const Extent& at, const Extent& count, const T* sums, int64_t pitch,
      T* channel) const {
    Extent to;
    for (int d = 0; d < 3; ++d) {
      to[d] = phase.first[d] + at[d] * phase.step[d];
    }
    const Extent& size = plan_.target;
    if (pitch == size[2] && count[2] == size[2] && phase.step == Extent{1, 1, 1}) {
      return copy_row(
          channel + (to[0] * size[1] + to[1]) * size[2], sums, count[1] * count[2]); // all ones
    }
    for (int64_t row = 0; row < count[1]; ++row, sums += pitch, to[1] += phase.step[1]) {
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

  const ConvPlan& plan_;
  int64_t images_; // channels of all batches and groups
  int64_t groups_;
  int64_t sources_, targets_; // channels of a group
  const T* source_;
  const T* bias_;
  T* target_;
  int64_t plane_;
};

template <typename T, template <typename> class Tile>
void convolve(const ConvOperands& operands) {
  const ConvShape& s = operands.shape;
  const int64_t in = s.in_channels / s.groups, out = s.out_channels / s.groups;
  const int64_t kernel = volume(s.kernel);
  const WeightSteps forward{out * in * kernel, kernel, in * kernel};
  const WeightSteps steps =
      operands.adjoint ? WeightSteps{forward.group, forward.target, forward.source} : forward;
  const ConvPlan plan =
      operands.adjoint ? conv_adjoint_plan(s) : conv_plan(s, Tile<T>::kPositionsAdjoin);
  Convolver<T, Tile>(
      plan, s.batch, s.groups, operands.adjoint ? out : in, operands.adjoint ? in : out,
      static_cast<const T*>(operands.source), static_cast<const T*>(operands.bias),
      static_cast<T*>(operands.target))
      .run(static_cast<const T*>(operands.weight), steps);
}

} // namespace CPU_CAPABILITY
} // namespace at::native
