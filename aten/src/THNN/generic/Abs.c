#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Abs.c"
#else

void THNN_(Abs_updateOutput)(THNNState* state, THTensor* input, THTensor* output) {
  th::apply<THDevice, scalar_t>(output, thnn::Absolute<scalar_t>(), input);
}

void THNN_(Abs_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput) {
  th::apply<THDevice, scalar_t>(gradInput, thnn::AbsoluteGradient<scalar_t>(), input, gradOutput);
}

#endif
