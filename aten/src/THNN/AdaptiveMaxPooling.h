#pragma once
// The kernels of SpatialAdaptiveMaxPooling.
#include <TH/THTensorApply.h>

namespace thnn {

// Output pixel i of n covers input pixels floor(i s / n) to ceil((i + 1) s / n) - 1 of s. `places`
// gets the place of each maximum within its plane; a NaN counts as the greatest value.
template <typename T>
struct AdaptiveMaximum {
  int64_t height, width, output_height, output_width;
  const T* images;
  T* maxima;
  int64_t* places;

  C10_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t row = i / output_width % output_height, column = i % output_width;
    const T* plane = images + i / (output_width * output_height) * height * width;
    const int64_t top = row * height / output_height, left = column * width / output_width;
    const int64_t bottom = ((row + 1) * height + output_height - 1) / output_height;
    const int64_t right = ((column + 1) * width + output_width - 1) / output_width;
    int64_t best = top * width + left;
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        const int64_t place = y * width + x;
        if (plane[place] > plane[best] || plane[place] != plane[place]) best = place;
      }
    }
    maxima[i] = plane[best];
    places[i] = best;
  }
};

// Adds each gradient to the pixel of its maximum.
template <typename Device, typename T>
struct AdaptiveMaximumGradient {
  int64_t plane, outputs; // pixels of one plane of the input and of the output
  const T* grads;
  const int64_t* places;
  T* result;

  C10_HOST_DEVICE void operator()(int64_t i) const {
    Device::check_index(places[i], plane);
    Device::add(result + i / outputs * plane + places[i], grads[i]);
  }
};

} // namespace thnn
