// Losses on CUDA devices.
#include <THCUNN/Kernels.cuh>

#include <THNN/ClassNLL.h>
#include <THNN/Criterion.h>
#include <THNN/Losses.h>

#include <THNN/generic/AbsCriterion.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/BCECriterion.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/ClassNLLCriterion.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/MSECriterion.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/SmoothL1Criterion.c>
#include <THC/THCGenerateFloatTypes.h>
