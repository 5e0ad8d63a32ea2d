#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/BCECriterion.c"
#else

void THNN_(BCECriterion_updateOutput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* output, int64_t reduction,
    THTensor* weights) {
  const thnn::CrossEntropy<THDevice, scalar_t> loss;
  if (weights) {
    thnn::criterion<THDevice, scalar_t, accreal>(output, reduction, loss, input, target, weights);
  } else {
    thnn::criterion<THDevice, scalar_t, accreal>(output, reduction, loss, input, target);
  }
}

void THNN_(BCECriterion_updateGradInput)(
    THNNState* state, THTensor* input, THTensor* target, THTensor* gradOutput, THTensor* gradInput,
    int64_t reduction, THTensor* weights) {
  const thnn::CrossEntropySlope<scalar_t> slope;
  if (weights) {
    thnn::criterion_gradient<THDevice, scalar_t>(
        gradInput, gradOutput, reduction, slope, input, target, weights);
  } else {
    thnn::criterion_gradient<THDevice, scalar_t>(
        gradInput, gradOutput, reduction, slope, input, target);
  }
}

#endif
