#pragma once

#include <ATen/native/ConvShape.h>

#include <vector>

// The memory arrangement that turns a convolution into a sum of shifted arrays. Each channel is
// copied with its padding into a plane, and every coordinate x is split into the phase x % step and
// the index x / step:
//   plane[phase d][phase h][phase w][index d][index h][index w]
// If step equals the convolution's stride, moving the output by one place moves the element under a
// kernel position by one place, too: along a row, and also down the rows, because rows are `pitch`
// apart in both. So kernel positions become offsets, and full registers can continue past the end
// of a row; the values computed between a row's last output and the next row are discarded.

namespace at::native {

using Extent = ConvShape::Extent;

struct PlaneLayout {
  Extent size;  // size of a stored channel
  Extent lead;  // number of zeros before it
  Extent step;  // number of phases
  Extent count; // number of indices of each phase

  int64_t pitch() const { return count[2]; }
  int64_t slab() const { return count[1] * count[2]; }
  int64_t plane() const { return volume(step) * volume(count); }

  // The position in a plane of the element with the given padded coordinates.
  int64_t offset(const Extent& x) const {
    int64_t phase = 0, index = 0;
    for (int d = 0; d < 3; ++d) {
      phase = phase * step[d] + x[d] % step[d];
      index = index * count[d] + x[d] / step[d];
    }
    return phase * volume(count) + index;
  }

  bool is_plain() const {
    return lead == Extent{0, 0, 0} && step == Extent{1, 1, 1} && count == size;
  }
};

// One convolution without stride: the weights it uses and the target positions it fills.
struct ConvPhase {
  std::vector<int64_t> taps;    // positions in the weight's kernel
  std::vector<Extent> places;   // coordinates of a padded plane, for the first position
  std::vector<int64_t> offsets; // the same as offsets
  Extent source_step;           // step between positions, in indices of a plane
  Extent first, step, count;    // positions in the target

  // The offset in a plane of the position's first element, without the tap offsets.
  int64_t place(const PlaneLayout& layout, const Extent& position) const {
    return position[0] * source_step[0] * layout.slab() +
        position[1] * source_step[1] * layout.pitch() + position[2] * source_step[2];
  }
};

struct ConvPlan {
  PlaneLayout layout; // layout of the source
  std::vector<ConvPhase> phases;
  Extent target; // size of a target channel
};

// From input to output: one phase, whose taps are the kernel's positions. With `split`, planes have
// one phase per stride step and positions are one index apart; without it, planes have a single
// phase and positions are a stride apart.
ConvPlan conv_plan(const ConvShape& shape, bool split);

// From output to input. With stride s this splits into convolutions without stride, one for each
// phase of the target's coordinates modulo s: source y reaches target x through tap k when y * s +
// k * dilation = x + pad.
ConvPlan conv_adjoint_plan(const ConvShape& shape);

// Whether the kernels of this processor compute a convolution and its adjoint by tiles, with fewer
// multiplications.
bool is_tiled(c10::ScalarType dtype, const ConvShape& shape);

} // namespace at::native
