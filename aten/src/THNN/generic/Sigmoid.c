#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Sigmoid.c"
#else

void THNN_(Sigmoid_updateOutput)(THNNState* state, THTensor* input, THTensor* output) {
  th::apply<THDevice, scalar_t>(output, thnn::Logistic<scalar_t>(), input);
}

void THNN_(Sigmoid_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, THTensor* output) {
  th::apply<THDevice, scalar_t>(gradInput, thnn::LogisticGradient<scalar_t>(), output, gradOutput);
}

#endif
