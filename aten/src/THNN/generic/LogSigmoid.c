#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/LogSigmoid.c"
#else

// log(1 / (1 + exp(-x))) = min(x, 0) - log(1 + z) with z = exp(-|x|), which the buffer keeps.
void THNN_(LogSigmoid_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, THTensor* buffer) {
  th::apply<scalar_t>(
      buffer, [](scalar_t x) { return std::exp(-std::abs(x)); }, input);
  const auto log_sigmoid = [](scalar_t x, scalar_t z) {
    return std::min(x, scalar_t(0)) - std::log1p(z);
  };
  th::apply<scalar_t>(output, log_sigmoid, input, buffer);
}

void THNN_(LogSigmoid_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput,
    THTensor* buffer) {
  const auto slope = [](scalar_t x, scalar_t grad, scalar_t z) {
    return grad * (x < 0 ? 1 / (1 + z) : z / (1 + z));
  };
  th::apply<scalar_t>(gradInput, slope, input, gradOutput, buffer);
}

#endif
