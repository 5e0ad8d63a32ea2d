#pragma once
// Tensors of TH on CUDA devices. As on the CPU, a THCudaTensor* points to the implementation of an
// at::Tensor. A kernel checks that it has the element type of the name and is on a CUDA device.
#include <TH/THGeneral.h>

#include <c10/core/TensorImpl.h>

using THCState = void;
using THCudaTensor = c10::TensorImpl;
using THCudaDoubleTensor = c10::TensorImpl;
using THCudaLongTensor = c10::TensorImpl;

#define THCTensor TH_CONCAT_3(TH, CReal, Tensor)
