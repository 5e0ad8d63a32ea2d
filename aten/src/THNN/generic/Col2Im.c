#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/Col2Im.c"
#else

void THNN_(Col2Im_updateOutput)(
    THNNState* state, THTensor* input, THTensor* output, int64_t outputHeight, int64_t outputWidth,
    int64_t kH, int64_t kW, int64_t dilationH, int64_t dilationW, int64_t padH, int64_t padW,
    int64_t dH, int64_t dW) {
  thnn::col2im<THDevice, scalar_t>(
      input, output, {outputHeight, outputWidth, kH, kW, dilationH, dilationW, padH, padW, dH, dW});
}

void THNN_(Col2Im_updateGradInput)(
    THNNState* state, THTensor* gradOutput, THTensor* gradInput, int64_t kH, int64_t kW,
    int64_t dilationH, int64_t dilationW, int64_t padH, int64_t padW, int64_t dH, int64_t dW) {
  THNN_(Im2Col_updateOutput)
  (state, gradOutput, gradInput, kH, kW, dilationH, dilationW, padH, padW, dH, dW);
}

#endif
