#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/ELU.c"
#else

void THNN_(ELU_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, accreal alpha, accreal scale,
    accreal input_scale, bool inplace) {
  const thnn::Elu<scalar_t> elu{
      static_cast<scalar_t>(alpha * scale), static_cast<scalar_t>(scale),
      static_cast<scalar_t>(input_scale)};
  th::apply_to<THDevice, scalar_t>(output, elu, input, inplace);
}

void THNN_(ELU_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, THTensor* output, accreal alpha,
    accreal scale, accreal input_scale) {
  const thnn::EluGradient<scalar_t> gradient{
      static_cast<scalar_t>(alpha * scale), static_cast<scalar_t>(scale),
      static_cast<scalar_t>(input_scale)};
  th::apply<THDevice, scalar_t>(gradInput, gradient, output, gradOutput);
}

#endif
