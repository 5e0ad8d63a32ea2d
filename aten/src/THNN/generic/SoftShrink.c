#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SoftShrink.c"
#else

void THNN_(SoftShrink_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal lambda) {
  const auto limit = static_cast<scalar_t>(lambda);
  const auto shrink = [=](scalar_t x) {
    return x > limit ? x - limit : x < -limit ? x + limit : scalar_t(0);
  };
  th::apply<scalar_t>(output, shrink, input);
}

void THNN_(SoftShrink_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, accreal lambda) {
  const auto limit = static_cast<scalar_t>(lambda);
  const auto slope = [=](scalar_t x, scalar_t grad) {
    return x > limit || x < -limit ? grad : scalar_t(0);
  };
  th::apply<scalar_t>(gradInput, slope, input, gradOutput);
}

#endif
