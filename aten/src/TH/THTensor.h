#pragma once
// Tensors of TH, one name for each element type. They are the tensors of ATen: a THFloatTensor*
// points to the implementation of an at::Tensor, and TH's functions check that it has the type of
// their name.
#include <TH/THGeneral.h>

#include <c10/core/TensorImpl.h>
#include <c10/util/ArrayRef.h>

using THFloatTensor = c10::TensorImpl;
using THDoubleTensor = c10::TensorImpl;
using THLongTensor = c10::TensorImpl;

#define THTensor TH_CONCAT_3(TH, Real, Tensor)
#define THTensor_(NAME) TH_CONCAT_4(TH, Real, Tensor_, NAME)

#include <TH/generic/THTensor.h>
#include <TH/THGenerateFloatTypes.h>

#include <TH/generic/THTensor.h>
#include <TH/THGenerateLongType.h>

#include <TH/generic/THTensorMath.h>
#include <TH/THGenerateFloatTypes.h>
