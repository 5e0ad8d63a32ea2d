#pragma once
// Neural network kernels of TH for CUDA devices: THNN_CudaAbs_updateOutput (of floats) and
// THNN_CudaDoubleAbs_updateOutput for each declaration in generic/THCUNN.h. The tensors of a call
// are on the current device.
#include <THC/THCTensor.h>

using THCIndexTensor = THCudaLongTensor;
using THCIntegerTensor = THCudaLongTensor;

#define THNN_(NAME) TH_CONCAT_3(THNN_, CReal, NAME)

#include <THCUNN/generic/THCUNN.h>
#include <THC/THCGenerateFloatTypes.h>
