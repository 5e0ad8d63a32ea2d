#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/THNN.h"
#else

// The kernels, expanded for each type. tools/nnwrap reads this file: it has one argument per line,
// with [OUT] in the comments of results and [OPTIONAL] in those of arguments that may be NULL.
// clang-format off

TH_API void THNN_(Abs_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output); // [OUT]

TH_API void THNN_(Abs_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput); // [OUT]

TH_API void THNN_(AbsCriterion_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* output, // [OUT]
    int64_t reduction);

TH_API void THNN_(AbsCriterion_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t reduction);

TH_API void THNN_(BCECriterion_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* output, // [OUT]
    int64_t reduction,
    THTensor* weights); // [OPTIONAL]

TH_API void THNN_(BCECriterion_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t reduction,
    THTensor* weights); // [OPTIONAL]

TH_API void THNN_(ClassNLLCriterion_updateOutput)(
    THNNState* state,
    THTensor* input,
    THIndexTensor* target,
    THTensor* output, // [OUT]
    int64_t reduction,
    THTensor* weights, // [OPTIONAL]
    THTensor* total_weight, // [OUT]
    int64_t ignore_index);

TH_API void THNN_(ClassNLLCriterion_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THIndexTensor* target,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t reduction,
    THTensor* weights, // [OPTIONAL]
    THTensor* total_weight,
    int64_t ignore_index);

TH_API void THNN_(Col2Im_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    int64_t outputHeight,
    int64_t outputWidth,
    int64_t kH,
    int64_t kW,
    int64_t dilationH,
    int64_t dilationW,
    int64_t padH,
    int64_t padW,
    int64_t dH,
    int64_t dW);

TH_API void THNN_(Col2Im_updateGradInput)(
    THNNState* state,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t kH,
    int64_t kW,
    int64_t dilationH,
    int64_t dilationW,
    int64_t padH,
    int64_t padW,
    int64_t dH,
    int64_t dW);

TH_API void THNN_(ELU_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    accreal alpha,
    accreal scale,
    accreal input_scale,
    bool inplace);

TH_API void THNN_(ELU_updateGradInput)(
    THNNState* state,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    THTensor* output,
    accreal alpha,
    accreal scale,
    accreal input_scale);

TH_API void THNN_(HardTanh_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    accreal min_val,
    accreal max_val,
    bool inplace);

TH_API void THNN_(HardTanh_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    accreal min_val,
    accreal max_val,
    bool inplace);

TH_API void THNN_(Im2Col_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    int64_t kH,
    int64_t kW,
    int64_t dilationH,
    int64_t dilationW,
    int64_t padH,
    int64_t padW,
    int64_t dH,
    int64_t dW);

TH_API void THNN_(Im2Col_updateGradInput)(
    THNNState* state,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t isizeH,
    int64_t isizeW,
    int64_t kH,
    int64_t kW,
    int64_t dilationH,
    int64_t dilationW,
    int64_t padH,
    int64_t padW,
    int64_t dH,
    int64_t dW);

TH_API void THNN_(LeakyReLU_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    accreal negval,
    bool inplace);

TH_API void THNN_(LeakyReLU_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    accreal negval,
    bool inplace);

TH_API void THNN_(LogSigmoid_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    THTensor* buffer); // [OUT]

TH_API void THNN_(LogSigmoid_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    THTensor* buffer);

TH_API void THNN_(LookupTable_accGradParameters)(
    THNNState* state,
    THIndexTensor* input,
    THTensor* gradOutput,
    THTensor* gradWeight, // [OUT]
    THIntegerTensor* count, // [OUT]
    THTensor* sorted, // [OPTIONAL]
    THIndexTensor* indices, // [OPTIONAL]
    bool scaleGradByFreq,
    int64_t paddingValue,
    accreal scale);

TH_API void THNN_(LookupTable_renorm)(
    THNNState* state,
    THIndexTensor* idx,
    THTensor* weight,
    accreal maxNorm,
    accreal normType);

TH_API void THNN_(MSECriterion_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* output, // [OUT]
    int64_t reduction);

TH_API void THNN_(MSECriterion_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t reduction);

TH_API void THNN_(Sigmoid_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output); // [OUT]

TH_API void THNN_(Sigmoid_updateGradInput)(
    THNNState* state,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    THTensor* output);

TH_API void THNN_(SmoothL1Criterion_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* output, // [OUT]
    int64_t reduction);

TH_API void THNN_(SmoothL1Criterion_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* target,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    int64_t reduction);

TH_API void THNN_(SoftPlus_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    accreal beta,
    accreal threshold);

TH_API void THNN_(SoftPlus_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    THTensor* output,
    accreal beta,
    accreal threshold);

TH_API void THNN_(SoftShrink_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    accreal lambda);

TH_API void THNN_(SoftShrink_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    accreal lambda);

TH_API void THNN_(SpatialAdaptiveMaxPooling_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output, // [OUT]
    THIndexTensor* indices, // [OUT]
    int64_t osizeW,
    int64_t osizeH);

TH_API void THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(
    THNNState* state,
    THTensor* input,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    THIndexTensor* indices);

TH_API void THNN_(Tanh_updateOutput)(
    THNNState* state,
    THTensor* input,
    THTensor* output); // [OUT]

TH_API void THNN_(Tanh_updateGradInput)(
    THNNState* state,
    THTensor* gradOutput,
    THTensor* gradInput, // [OUT]
    THTensor* output);

// clang-format on
#endif
