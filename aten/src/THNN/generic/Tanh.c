#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Tanh.c"
#else

void THNN_(Tanh_updateOutput)(THNNState* state, THTensor* input, THTensor* output) {
  th::apply<THDevice, scalar_t>(output, thnn::HyperbolicTangent<scalar_t>(), input);
}

void THNN_(Tanh_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, THTensor* output) {
  th::apply<THDevice, scalar_t>(
      gradInput, thnn::HyperbolicTangentGradient<scalar_t>(), output, gradOutput);
}

#endif
