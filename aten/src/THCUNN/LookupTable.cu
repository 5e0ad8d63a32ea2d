// Gradients of tables, and limits of their norms, on CUDA devices.
#include <THCUNN/Kernels.cuh>

#include <THNN/LookupTable.h>

#include <ATen/ops/zeros.h>

#include <THNN/generic/LookupTable.c>
#include <THC/THCGenerateFloatTypes.h>
