#pragma once

#include <ATen/native/ConvShape.h>

#include <vector>

// The arrangement that makes a convolution a sum of shifted arrays. A channel is copied into a
// plane with its padding, every coordinate x split into the phase x % step and the index x / step:
//   plane[phase d][phase h][phase w][index d][index h][index w]
// With step the convolution's stride, the element under a kernel position moves by exactly one
// place when the output moves by one, along a row and, rows being `pitch` apart in both, down the
// rows too. So kernel positions become offsets, and whole registers run on over the ends of rows;
// what they compute there, between a row's last output and the next row, is dropped.

namespace at::native {

using Extent = ConvShape::Extent;

struct PlaneLayout {
  Extent size;  // of a channel as it is stored
  Extent lead;  // zeros before it
  Extent step;  // phases
  Extent count; // indices of each phase

  int64_t pitch() const { return count[2]; }
  int64_t slab() const { return count[1] * count[2]; }
  int64_t plane() const { return volume(step) * volume(count); }

  // Where the element with the given padded coordinates is in a plane.
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

// One convolution without stride: which weights, and which positions of the target it fills.
struct ConvPhase {
  std::vector<int64_t> taps;    // of the weight's kernel
  std::vector<int64_t> offsets; // in a plane, for the first position
  Extent source_step;           // indices of a plane from one position to the next
  Extent first, step, count;    // positions in the target

  // Where the position's first element is in a plane, beyond the offsets.
  int64_t place(const PlaneLayout& layout, const Extent& position) const {
    return position[0] * source_step[0] * layout.slab() +
        position[1] * source_step[1] * layout.pitch() + position[2] * source_step[2];
  }
};

struct ConvPlan {
  PlaneLayout layout; // of the source
  std::vector<ConvPhase> phases;
  Extent target; // size of a target channel
};

// From input to output: one phase, whose taps are the kernel's positions. With `split`, planes are
// in phases of the stride and positions one index apart; without, in one phase, positions a stride
// apart.
ConvPlan conv_plan(const ConvShape& shape, bool split);

// From output to input. With stride s it falls apart into convolutions without stride, one for each
// phase of the target's coordinates modulo s: source y reaches target x through tap k when
// y * s + k * dilation = x + pad.
ConvPlan conv_adjoint_plan(const ConvShape& shape);

} // namespace at::native
