#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/LeakyReLU.c"
#else

void THNN_(LeakyReLU_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal negval, bool inplace) {
  const thnn::Leaky<scalar_t> leaky{static_cast<scalar_t>(negval)};
  th::apply_to<THDevice, scalar_t>(output, leaky, input, inplace);
}

void THNN_(LeakyReLU_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, accreal negval,
    bool inplace) {
  const thnn::LeakyGradient<scalar_t> gradient{static_cast<scalar_t>(negval)};
  th::apply<THDevice, scalar_t>(gradInput, gradient, input, gradOutput);
}

#endif
