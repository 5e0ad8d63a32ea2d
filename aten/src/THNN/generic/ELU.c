#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/ELU.c"
#else

// scale x above 0, and alpha scale (exp(input_scale x) - 1) below.
void THNN_(ELU_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal alpha, accreal scale,
    accreal input_scale, bool inplace) {
  const auto negative = static_cast<scalar_t>(alpha * scale);
  const auto positive = static_cast<scalar_t>(scale);
  const auto inner = static_cast<scalar_t>(input_scale);
  const auto elu = [=](scalar_t x) {
    return x <= 0 ? std::expm1(x * inner) * negative : x * positive;
  };
  if (inplace) {
    th::apply_inplace<scalar_t>(output, elu, input);
  } else {
    th::apply<scalar_t>(output, elu, input);
  }
}

// The slope follows from the output: input_scale (y + alpha scale) where y <= 0.
void THNN_(ELU_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, THTensor* output, accreal alpha,
    accreal scale, accreal input_scale) {
  const auto negative = static_cast<scalar_t>(alpha * scale);
  const auto positive = static_cast<scalar_t>(scale);
  const auto inner = static_cast<scalar_t>(input_scale);
  const auto slope = [=](scalar_t y, scalar_t grad) {
    return y <= 0 ? grad * inner * (y + negative) : grad * positive;
  };
  th::apply<scalar_t>(gradInput, slope, output, gradOutput);
}

#endif
