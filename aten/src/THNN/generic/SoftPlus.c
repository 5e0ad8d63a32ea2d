#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SoftPlus.c"
#else

void THNN_(SoftPlus_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal beta, accreal threshold) {
  const thnn::SoftPlus<scalar_t> softplus{
      static_cast<scalar_t>(beta), static_cast<scalar_t>(threshold)};
  th::apply<THDevice, scalar_t>(output, softplus, input);
}

void THNN_(SoftPlus_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, THTensor* output,
    accreal beta, accreal threshold) {
  const thnn::SoftPlusGradient<scalar_t> gradient{
      static_cast<scalar_t>(beta), static_cast<scalar_t>(threshold)};
  th::apply<THDevice, scalar_t>(gradInput, gradient, output, gradOutput);
}

#endif
