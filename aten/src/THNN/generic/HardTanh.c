#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/HardTanh.c"
#else

void THNN_(HardTanh_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal min_val, accreal max_val,
    bool inplace) {
  const thnn::Clamp<scalar_t> clamp{static_cast<scalar_t>(min_val), static_cast<scalar_t>(max_val)};
  th::apply_to<THDevice, scalar_t>(output, clamp, input, inplace);
}

void THNN_(HardTanh_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* gradOutput, THTensor* gradInput, accreal min_val,
    accreal max_val, bool inplace) {
  const thnn::ClampGradient<scalar_t> gradient{
      static_cast<scalar_t>(min_val), static_cast<scalar_t>(max_val)};
  th::apply<THDevice, scalar_t>(gradInput, gradient, input, gradOutput);
}

#endif
