#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SoftShrink.c"
#else

void THNN_(SoftShrink_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal lambda) {
  th::apply<THDevice, scalar_t>(
      output, thnn::Shrink<scalar_t>{static_cast<scalar_t>(lambda)}, input);
}

void THNN_(SoftShrink_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, accreal lambda) {
  const thnn::ShrinkGradient<scalar_t> gradient{static_cast<scalar_t>(lambda)};
  th::apply<THDevice, scalar_t>(gradInput, gradient, input, gradOutput);
}

#endif
