// Adaptive maximum pooling on CUDA devices.
#include <THCUNN/Kernels.cuh>

#include <THNN/AdaptiveMaxPooling.h>

#include <vector>

#include <THNN/generic/SpatialAdaptiveMaxPooling.c>
#include <THC/THCGenerateFloatTypes.h>
