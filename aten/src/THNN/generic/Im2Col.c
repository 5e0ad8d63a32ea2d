#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Im2Col.c"
#else

void THNN_(Im2Col_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, int64_t kH, int64_t kW, int64_t dilationH,
    int64_t dilationW, int64_t padH, int64_t padW, int64_t dH, int64_t dW) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim >= 2, "expected 3 or 4 dimensions, but got ", input->sizes());
  thnn::im2col<THDevice, scalar_t>(
      input, output,
      {input->size(dim - 2), input->size(dim - 1), kH, kW, dilationH, dilationW, padH, padW, dH,
       dW});
}

void THNN_(Im2Col_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, int64_t isizeH, int64_t isizeW,
    int64_t kH, int64_t kW, int64_t dilationH, int64_t dilationW, int64_t padH, int64_t padW,
    int64_t dH, int64_t dW) {
  thnn::col2im<THDevice, scalar_t>(
      gradOutput, gradInput, {isizeH, isizeW, kH, kW, dilationH, dilationW, padH, padW, dH, dW});
}

#endif
