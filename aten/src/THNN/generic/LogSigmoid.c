#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/LogSigmoid.c"
#else

void THNN_(LogSigmoid_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, THTensor* buffer) {
  th::apply<THDevice, scalar_t>(buffer, thnn::ExpOfMinusSize<scalar_t>(), input);
  th::apply<THDevice, scalar_t>(output, thnn::LogSigmoid<scalar_t>(), input, buffer);
}

void THNN_(LogSigmoid_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput,
    THTensor* buffer) {
  th::apply<THDevice, scalar_t>(
      gradInput, thnn::LogSigmoidGradient<scalar_t>(), input, gradOutput, buffer);
}

#endif
