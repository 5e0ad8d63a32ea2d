#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SoftPlus.c"
#else

// log(1 + exp(beta x)) / beta, and x itself where beta x exceeds the threshold.
void THNN_(SoftPlus_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal beta, accreal threshold) {
  const auto scale = static_cast<scalar_t>(beta), limit = static_cast<scalar_t>(threshold);
  const auto softplus = [=](scalar_t x) {
    return x * scale > limit ? x : std::log1p(std::exp(x * scale)) / scale;
  };
  th::apply<scalar_t>(output, softplus, input);
}

// The slope follows from the output: 1 - exp(-beta y).
void THNN_(SoftPlus_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, THTensor* output,
    accreal beta, accreal threshold) {
  const auto scale = static_cast<scalar_t>(beta), limit = static_cast<scalar_t>(threshold);
  const auto slope = [=](scalar_t y, scalar_t grad) {
    return y * scale > limit ? grad : grad * -std::expm1(-y * scale);
  };
  th::apply<scalar_t>(gradInput, slope, output, gradOutput);
}

#endif
