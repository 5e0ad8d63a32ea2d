#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/LeakyReLU.c"
#else

void THNN_(LeakyReLU_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal negval, bool inplace) {
  const auto slope = static_cast<scalar_t>(negval);
  const auto leaky = [=](scalar_t x) { return x > 0 ? x : x * slope; };
  if (inplace) {
    th::apply_inplace<scalar_t>(output, leaky, input);
  } else {
    th::apply<scalar_t>(output, leaky, input);
  }
}

void THNN_(LeakyReLU_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, accreal negval,
    bool inplace) {
  const auto slope = static_cast<scalar_t>(negval);
  const auto leaky = [=](scalar_t x, scalar_t grad) { return x > 0 ? grad : grad * slope; };
  th::apply<scalar_t>(gradInput, leaky, input, gradOutput);
}

#endif
