#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Tanh.c"
#else

void THNN_(Tanh_updateOutput)(THNNState* state, THTensor* input, THTensor* output) {
  th::apply<scalar_t>(
      output, [](scalar_t x) { return std::tanh(x); }, input);
}

void THNN_(Tanh_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, THTensor* output) {
  const auto slope = [](scalar_t y, scalar_t grad) { return grad * (1 - y * y); };
  th::apply<scalar_t>(gradInput, slope, output, gradOutput);
}

#endif
