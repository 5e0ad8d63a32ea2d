#include <ATen/Context.h>
#include <ATen/native/ConvPlan.h>
#include <ATen/native/DispatchStub.h>

#include <algorithm>
#include <utility>

namespace at::native {

namespace {

// Calls f(kernel position, its number) for all positions.
template <typename F>
void for_each_tap(const Extent& kernel, const F& f) {
  int64_t tap = 0;
  for (int64_t d = 0; d < kernel[0]; ++d) {
    for (int64_t h = 0; h < kernel[1]; ++h) {
      for (int64_t w = 0; w < kernel[2]; ++w) {
        f(Extent{d, h, w}, tap++);
      }
    }
  }
}

} // namespace

ConvPlan conv_plan(const ConvShape& s, bool split) {
  constexpr Extent kOnes = {1, 1, 1};
  ConvPlan plan{{s.in, s.pad, split ? s.stride : kOnes, {}}, {}, s.out};
  for (int d = 0; d < 3; ++d) {
    const int64_t step = plan.layout.step[d];
    plan.layout.count[d] = (s.in[d] + 2 * s.pad[d] + step - 1) / step;
  }
  ConvPhase phase{{}, {}, {}, split ? kOnes : s.stride, {0, 0, 0}, kOnes, s.out};
  for_each_tap(s.kernel, [&](Extent k, int64_t tap) {
    for (int d = 0; d < 3; ++d) {
      k[d] *= s.dilation[d];
    }
    phase.taps.push_back(tap);
    phase.places.push_back(k);
    phase.offsets.push_back(plan.layout.offset(k));
  });
  plan.phases.push_back(std::move(phase));
  return plan;
}

namespace {

// The phase of targets x with (x + pad) % stride = remainder: x + pad = q * stride + remainder for
// q starting at first_q.
ConvPhase adjoint_phase(const ConvShape& s, const Extent& remainder, Extent& first_q) {
  ConvPhase phase{{}, {}, {}, {1, 1, 1}, {}, s.stride, {}};
  for (int d = 0; d < 3; ++d) {
    const int64_t before = std::max<int64_t>(0, s.pad[d] - remainder[d]);
    first_q[d] = (before + s.stride[d] - 1) / s.stride[d];
    phase.first[d] = first_q[d] * s.stride[d] + remainder[d] - s.pad[d];
    phase.count[d] =
        std::max<int64_t>(0, (s.in[d] - phase.first[d] + s.stride[d] - 1) / s.stride[d]);
  }
  return phase;
}

} // namespace

ConvPlan conv_adjoint_plan(const ConvShape& s) {
  ConvPlan plan{{s.out, {}, {1, 1, 1}, {}}, {}, s.in};
  PlaneLayout& layout = plan.layout;
  std::vector<Extent> first_qs, remainders;
  for_each_tap(s.stride, [&](const Extent& remainder, int64_t) {
    Extent first_q;
    plan.phases.push_back(adjoint_phase(s, remainder, first_q));
    first_qs.push_back(first_q);
    remainders.push_back(remainder);
  });
  for (int d = 0; d < 3; ++d) {
    layout.lead[d] = (s.kernel[d] - 1) * s.dilation[d] / s.stride[d];
    for (size_t i = 0; i < plan.phases.size(); ++i) {
      layout.count[d] =
          std::max(layout.count[d], first_qs[i][d] + plan.phases[i].count[d] + layout.lead[d]);
    }
  }
  for (size_t i = 0; i < plan.phases.size(); ++i) {
    for_each_tap(s.kernel, [&](const Extent& k, int64_t tap) {
      Extent from;
      for (int d = 0; d < 3; ++d) {
        const int64_t reach = k[d] * s.dilation[d] - remainders[i][d];
        if (reach % s.stride[d] != 0) {
          return;
        }
        from[d] = first_qs[i][d] - reach / s.stride[d] + layout.lead[d];
      }
      plan.phases[i].taps.push_back(tap);
      plan.phases[i].places.push_back(from);
      plan.phases[i].offsets.push_back(layout.offset(from));
    });
  }
  return plan;
}

bool is_tiled(c10::ScalarType dtype, const ConvShape& s) {
  constexpr Extent kOnes{1, 1, 1};
  // Fewer channels are faster directly, and so are few tiles, for which transforming the weights
  // takes longer than the products.
  constexpr int64_t kChannels = 32, kPositions = 36, kTiles = 40;
  const int64_t positions = std::min(volume(s.in), volume(s.out));
  // An adjoint has no negative padding.
  return globalContext().userEnabledMkldnn() && get_cpu_capability() >= CPUCapability::AVX2 &&
      dtype == c10::ScalarType::Float && s.groups == 1 && s.kernel == Extent{1, 3, 3} &&
      s.stride == kOnes && s.dilation == kOnes && s.in[0] == 1 && s.pad[0] == 0 &&
      std::max(s.pad[1], s.pad[2]) <= 2 && std::min(s.in_channels, s.out_channels) >= kChannels &&
      positions >= kPositions && s.batch * positions >= 4 * kTiles;
}

} // namespace at::native
