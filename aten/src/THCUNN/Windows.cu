// Sliding windows on CUDA devices.
#include <THCUNN/Kernels.cuh>

#include <THNN/Windows.h>

#include <THNN/generic/Im2Col.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/Col2Im.c>
#include <THC/THCGenerateFloatTypes.h>
