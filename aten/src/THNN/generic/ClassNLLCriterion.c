#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/ClassNLLCriterion.c"
#else

void THNN_(ClassNLLCriterion_updateOutput)(
    THNNState* state, THTensor* input, THIndexTensor* target, THTensor* output, int64_t reduction,
    THTensor* weights, THTensor* total_weight, int64_t ignore_index) {
  thnn::class_nll<THDevice, scalar_t, accreal>(
      input, target, output, reduction, weights, total_weight, ignore_index);
}

void THNN_(ClassNLLCriterion_updateGradInput)(
    THNNState* state, THTensor* input, THIndexTensor* target, THTensor* gradOutput,
    THTensor* gradInput, int64_t reduction, THTensor* weights, THTensor* total_weight,
    int64_t ignore_index) {
  thnn::class_nll_gradient<THDevice, scalar_t>(
      input, target, gradOutput, gradInput, reduction, weights, total_weight, ignore_index);
}

#endif
