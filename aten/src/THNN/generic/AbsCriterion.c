#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/AbsCriterion.c"
#else

void THNN_(AbsCriterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction) {
  thnn::criterion<THDevice, scalar_t, accreal>(
      output, reduction, thnn::AbsoluteLoss<scalar_t>(), input, target);
}

void THNN_(AbsCriterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction) {
  thnn::criterion_gradient<THDevice, scalar_t>(
      gradInput, gradOutput, reduction, thnn::AbsoluteLossSlope<scalar_t>(), input, target);
}

#endif
