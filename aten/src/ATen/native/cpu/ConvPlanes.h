#pragma once

#include <ATen/cpu/vec/vec_memory.h>
#include <ATen/native/ConvPlan.h>

#include <algorithm>
#include <cstring>

namespace at::native {
inline namespace CPU_CAPABILITY {

template <typename T>
inline void copy_row(T* to, const T* from, int64_t count) {
  constexpr int64_t kStep = vec::kVectorBytes / static_cast<int>(sizeof(T));
  int64_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    vec::store<T, kStep>(to + i, vec::load<T, kStep>(from + i));
  }
  vec::copy_elements<sizeof(T)>(to + i, from + i, count - i);
}

template <typename T>
void pack_plane(const PlaneLayout& layout, const T* from, T* to) {
  if (layout.is_plain()) {
    std::memcpy(to, from, layout.plane() * sizeof(T));
    return;
  }
  std::fill_n(to, layout.plane(), T(0));
  const auto &size = layout.size, &lead = layout.lead, &step = layout.step, &count = layout.count;
  const int64_t width = std::min(size[2], count[2] * step[2] - lead[2]);
  const int64_t phase_size = volume(count);
  const auto limit = [&](int d) { return std::min(size[d], count[d] * step[d] - lead[d]); };
  for (int64_t d = 0; d < limit(0); ++d) {
    for (int64_t h = 0; h < limit(1); ++h) {
      const T* row = from + (d * size[1] + h) * size[2];
      T* line = to + layout.offset({d + lead[0], h + lead[1], 0});
      if (step[2] == 1) {
        copy_row(line + lead[2], row, width);
        continue;
      }
      for (int64_t phase = 0; phase < step[2]; ++phase) {
        const int64_t first = ((phase - lead[2]) % step[2] + step[2]) % step[2];
        T* to_phase = line + phase * phase_size + (first + lead[2]) / step[2];
        for (int64_t w = first; w < width; w += step[2]) {
          *to_phase++ = row[w];
        }
      }
    }
  }
}

} // namespace CPU_CAPABILITY
} // namespace at::native
