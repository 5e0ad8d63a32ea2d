#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SmoothL1Criterion.c"
#else

// With d = |x - y|: d^2 / 2 below 1, and d - 1/2 from there.
void THNN_(SmoothL1Criterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction) {
  const auto loss = [](scalar_t x, scalar_t y) {
    const scalar_t distance = std::abs(x - y);
    return distance < 1 ? scalar_t(0.5) * distance * distance : distance - scalar_t(0.5);
  };
  thnn::criterion<scalar_t, accreal>(output, reduction, loss, input, target);
}

void THNN_(SmoothL1Criterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction) {
  const auto slope = [](scalar_t x, scalar_t y) {
    return std::min(scalar_t(1), std::max(scalar_t(-1), x - y));
  };
  thnn::criterion_gradient<scalar_t>(gradInput, gradOutput, reduction, slope, input, target);
}

#endif
