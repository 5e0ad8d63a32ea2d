#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Abs.c"
#else

void THNN_(Abs_updateOutput)(THNNState* state, THTensor* input, THTensor* output) {
  th::apply<scalar_t>(
      output, [](scalar_t x) { return std::abs(x); }, input);
}

void THNN_(Abs_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput) {
  const auto slope = [](scalar_t x, scalar_t grad) { return x < 0 ? -grad : x > 0 ? grad : 0; };
  th::apply<scalar_t>(gradInput, slope, input, gradOutput);
}

#endif
