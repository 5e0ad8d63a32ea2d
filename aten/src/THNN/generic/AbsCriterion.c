#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/AbsCriterion.c"
#else

// |x - y|
void THNN_(AbsCriterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction) {
  const auto loss = [](scalar_t x, scalar_t y) { return std::abs(x - y); };
  thnn::criterion<scalar_t, accreal>(output, reduction, loss, input, target);
}

void THNN_(AbsCriterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction) {
  const auto slope = [](scalar_t x, scalar_t y) -> scalar_t { return (x > y) - (x < y); };
  thnn::criterion_gradient<scalar_t>(gradInput, gradOutput, reduction, slope, input, target);
}

#endif
