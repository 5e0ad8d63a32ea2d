#pragma once
// Neural network kernels of TH: THNN_FloatAbs_updateOutput and THNN_DoubleAbs_updateOutput for each
// declaration in generic/THNN.h.
#include <TH/THTensor.h>

using THNNState = void;
using THIndexTensor = THLongTensor;
using THIntegerTensor = THLongTensor;

#define THNN_(NAME) TH_CONCAT_3(THNN_, Real, NAME)

#include <THNN/generic/THNN.h>
#include <TH/THGenerateFloatTypes.h>
