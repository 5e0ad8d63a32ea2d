#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SpatialAdaptiveMaxPooling.c"
#else

void THNN_(SpatialAdaptiveMaxPooling_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, THIndexTensor* indices, int64_t osizeW,
    int64_t osizeH) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 3 || dim == 4, "expected 3 or 4 dimensions, but got ", input->sizes());
  const int64_t height = input->size(dim - 2), width = input->size(dim - 1);
  TORCH_CHECK(height > 0 && width > 0, "expected a nonempty image, but got ", input->sizes());
  const th::Elements<scalar_t, THDevice> images(input);
  std::vector<int64_t> sizes = input->sizes().vec();
  sizes[dim - 2] = osizeH;
  sizes[dim - 1] = osizeW;
  th::Results<scalar_t, THDevice> maxima(output, sizes);
  th::Results<int64_t, THDevice> places(indices, sizes);
  THDevice::for_each(
      maxima.size(),
      thnn::AdaptiveMaximum<scalar_t>{
          height, width, osizeH, osizeW, images.begin(), maxima.begin(), places.begin()});
  maxima.store();
  places.store();
}

void THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput,
    THIndexTensor* indices) {
  const int64_t dim = input->dim();
  const int64_t plane = input->size(dim - 2) * input->size(dim - 1);
  const int64_t outputs = gradOutput->size(dim - 2) * gradOutput->size(dim - 1);
  const th::Elements<scalar_t, THDevice> grads(gradOutput);
  const th::Elements<int64_t, THDevice> places(indices);
  TORCH_CHECK(places.size() == grads.size(), "indices and gradOutput differ in their sizes");
  const std::vector<int64_t> sizes = input->sizes().vec();
  th::Results<scalar_t, THDevice> result(gradInput, sizes);
  result.zero();
  THDevice::for_each(
      grads.size(),
      thnn::AdaptiveMaximumGradient<THDevice, scalar_t>{
          plane, outputs, grads.begin(), places.begin(), result.begin()});
  result.store();
}

#endif
