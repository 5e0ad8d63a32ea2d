#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SpatialAdaptiveMaxPooling.c"
#else

// Output pixel i of n covers input pixels floor(i s / n) to ceil((i + 1) s / n) - 1 of s. `indices`
// has the place of each maximum within its plane; a NaN counts as the greatest value.
void THNN_(SpatialAdaptiveMaxPooling_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, THIndexTensor* indices, int64_t osizeW,
    int64_t osizeH) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 3 || dim == 4, "expected 3 or 4 dimensions, but got ", input->sizes());
  const int64_t height = input->size(dim - 2), width = input->size(dim - 1);
  TORCH_CHECK(height > 0 && width > 0, "expected a nonempty image, but got ", input->sizes());
  const th::Elements<scalar_t> images(input);
  std::vector<int64_t> sizes = input->sizes().vec();
  sizes[dim - 2] = osizeH;
  sizes[dim - 1] = osizeW;
  th::Results<scalar_t> maxima(output, sizes);
  th::Results<int64_t> places(indices, sizes);
  for (int64_t i = 0; i < maxima.size(); ++i) {
    const int64_t row = i / osizeW % osizeH, column = i % osizeW;
    const scalar_t* plane = images.begin() + i / (osizeW * osizeH) * height * width;
    const int64_t bottom = ((row + 1) * height + osizeH - 1) / osizeH;
    const int64_t right = ((column + 1) * width + osizeW - 1) / osizeW;
    const int64_t left = column * width / osizeW;
    int64_t best = row * height / osizeH * width + left;
    for (int64_t y = row * height / osizeH; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        const int64_t place = y * width + x;
        if (plane[place] > plane[best] || std::isnan(plane[place])) best = place;
      }
    }
    maxima[i] = plane[best];
    places[i] = best;
  }
  maxima.store();
  places.store();
}

void THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput,
    THIndexTensor* indices) {
  const int64_t dim = input->dim();
  const int64_t plane = input->size(dim - 2) * input->size(dim - 1);
  const int64_t outputs = gradOutput->size(dim - 2) * gradOutput->size(dim - 1);
  const th::Elements<scalar_t> grads(gradOutput);
  const th::Elements<int64_t> places(indices);
  TORCH_CHECK(places.size() == grads.size(), "indices and gradOutput differ in their sizes");
  const std::vector<int64_t> sizes = input->sizes().vec();
  th::Results<scalar_t> result(gradInput, sizes);
  std::fill(result.begin(), result.end(), scalar_t(0));
  for (int64_t i = 0; i < grads.size(); ++i) {
    TORCH_CHECK_INDEX(places[i] >= 0 && places[i] < plane, "index out of range: ", places[i]);
    result[i / outputs * plane + places[i]] += grads[i];
  }
  result.store();
}

#endif
