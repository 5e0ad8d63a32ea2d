#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THCUNN/generic/THCUNN.h"
#else

// The kernels of THNN/generic/THNN.h for CUDA devices, expanded for each type. tools/nnwrap reads
// this file, which is written like that one.
// clang-format off

TH_API void THNN_(Abs_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output); // [OUT]

TH_API void THNN_(Abs_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput); // [OUT]

TH_API void THNN_(AbsCriterion_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* output, // [OUT]
    int64_t reduction);

TH_API void THNN_(AbsCriterion_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    int64_t reduction);

TH_API void THNN_(BCECriterion_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* output, // [OUT]
    int64_t reduction,
    THCTensor* weights); // [OPTIONAL]

TH_API void THNN_(BCECriterion_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    int64_t reduction,
    THCTensor* weights); // [OPTIONAL]

TH_API void THNN_(ClassNLLCriterion_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCIndexTensor* target,
    THCTensor* output, // [OUT]
    int64_t reduction,
    THCTensor* weights, // [OPTIONAL]
    THCTensor* total_weight, // [OUT]
    int64_t ignore_index);

TH_API void THNN_(ClassNLLCriterion_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCIndexTensor* target,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    int64_t reduction,
    THCTensor* weights, // [OPTIONAL]
    THCTensor* total_weight,
    int64_t ignore_index);

TH_API void THNN_(Col2Im_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
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
    THCState* state,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    int64_t kH,
    int64_t kW,
    int64_t dilationH,
    int64_t dilationW,
    int64_t padH,
    int64_t padW,
    int64_t dH,
    int64_t dW);

TH_API void THNN_(ELU_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    accreal alpha,
    accreal scale,
    accreal input_scale,
    bool inplace);

TH_API void THNN_(ELU_updateGradInput)(
    THCState* state,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    THCTensor* output,
    accreal alpha,
    accreal scale,
    accreal input_scale);

TH_API void THNN_(HardTanh_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    accreal min_val,
    accreal max_val,
    bool inplace);

TH_API void THNN_(HardTanh_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    accreal min_val,
    accreal max_val,
    bool inplace);

TH_API void THNN_(Im2Col_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    int64_t kH,
    int64_t kW,
    int64_t dilationH,
    int64_t dilationW,
    int64_t padH,
    int64_t padW,
    int64_t dH,
    int64_t dW);

TH_API void THNN_(Im2Col_updateGradInput)(
    THCState* state,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
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
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    accreal negval,
    bool inplace);

TH_API void THNN_(LeakyReLU_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    accreal negval,
    bool inplace);

TH_API void THNN_(LogSigmoid_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    THCTensor* buffer); // [OUT]

TH_API void THNN_(LogSigmoid_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    THCTensor* buffer);

TH_API void THNN_(LookupTable_accGradParameters)(
    THCState* state,
    THCIndexTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradWeight, // [OUT]
    THCIntegerTensor* count, // [OUT]
    THCTensor* sorted, // [OPTIONAL]
    THCIndexTensor* indices, // [OPTIONAL]
    bool scaleGradByFreq,
    int64_t paddingValue,
    accreal scale);

TH_API void THNN_(LookupTable_renorm)(
    THCState* state,
    THCIndexTensor* idx,
    THCTensor* weight,
    accreal maxNorm,
    accreal normType);

TH_API void THNN_(MSECriterion_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* output, // [OUT]
    int64_t reduction);

TH_API void THNN_(MSECriterion_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    int64_t reduction);

TH_API void THNN_(Sigmoid_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output); // [OUT]

TH_API void THNN_(Sigmoid_updateGradInput)(
    THCState* state,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    THCTensor* output);

TH_API void THNN_(SmoothL1Criterion_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* output, // [OUT]
    int64_t reduction);

TH_API void THNN_(SmoothL1Criterion_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* target,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    int64_t reduction);

TH_API void THNN_(SoftPlus_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    accreal beta,
    accreal threshold);

TH_API void THNN_(SoftPlus_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    THCTensor* output,
    accreal beta,
    accreal threshold);

TH_API void THNN_(SoftShrink_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    accreal lambda);

TH_API void THNN_(SoftShrink_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    accreal lambda);

TH_API void THNN_(SpatialAdaptiveMaxPooling_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output, // [OUT]
    THCIndexTensor* indices, // [OUT]
    int64_t osizeW,
    int64_t osizeH);

TH_API void THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(
    THCState* state,
    THCTensor* input,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    THCIndexTensor* indices);

TH_API void THNN_(Tanh_updateOutput)(
    THCState* state,
    THCTensor* input,
    THCTensor* output); // [OUT]

TH_API void THNN_(Tanh_updateGradInput)(
    THCState* state,
    THCTensor* gradOutput,
    THCTensor* gradInput, // [OUT]
    THCTensor* output);

// clang-format on
#endif
