#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/SmoothL1Criterion.c"
#else

void THNN_(SmoothL1Criterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction) {
  thnn::criterion<THDevice, scalar_t, accreal>(
      output, reduction, thnn::SmoothLoss<scalar_t>(), input, target);
}

void THNN_(SmoothL1Criterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction) {
  thnn::criterion_gradient<THDevice, scalar_t>(
      gradInput, gradOutput, reduction, thnn::SmoothLossSlope<scalar_t>(), input, target);
}

#endif
