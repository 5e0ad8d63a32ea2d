#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/BCECriterion.c"
#else

// -w (y log x + (1 - y) log(1 - x)), where logarithms are at least -100 so that no loss is
// infinite.
void THNN_(BCECriterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction,
    THTensor* weights) {
  const auto loss = [](scalar_t x, scalar_t y, auto... weight) {
    TORCH_CHECK(x >= 0 && x <= 1, "BCECriterion: an input is not between 0 and 1: ", x);
    const scalar_t log_x = std::max(std::log(x), scalar_t(-100));
    const scalar_t log_rest = std::max(std::log1p(-x), scalar_t(-100));
    return (-(y * log_x + (1 - y) * log_rest) * ... * weight);
  };
  if (weights) {
    thnn::criterion<scalar_t, accreal>(output, reduction, loss, input, target, weights);
  } else {
    thnn::criterion<scalar_t, accreal>(output, reduction, loss, input, target);
  }
}

// w (x - y) / (x (1 - x))
void THNN_(BCECriterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction, THTensor* weights) {
  const auto slope = [](scalar_t x, scalar_t y, auto... weight) {
    const scalar_t least = scalar_t(1e-12);
    return (((x - y) / std::max((1 - x) * x, least)) * ... * weight);
  };
  if (weights) {
    thnn::criterion_gradient<scalar_t>(
        gradInput, gradOutput, reduction, slope, input, target, weights);
  } else {
    thnn::criterion_gradient<scalar_t>(gradInput, gradOutput, reduction, slope, input, target);
  }
}

#endif
