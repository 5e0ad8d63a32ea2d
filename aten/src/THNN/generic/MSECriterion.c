#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/MSECriterion.c"
#else

// (x - y)^2
void THNN_(MSECriterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction) {
  const auto loss = [](scalar_t x, scalar_t y) { return (x - y) * (x - y); };
  thnn::criterion<scalar_t, accreal>(output, reduction, loss, input, target);
}

void THNN_(MSECriterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction) {
  const auto slope = [](scalar_t x, scalar_t y) { return 2 * (x - y); };
  thnn::criterion_gradient<scalar_t>(gradInput, gradOutput, reduction, slope, input, target);
}

#endif
