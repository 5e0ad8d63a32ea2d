// Expands the kernels in generic/ for float and double.
#include <THNN/THNN.h>

#include <TH/THTensorApply.h>
#include <THNN/Activations.h>
#include <THNN/AdaptiveMaxPooling.h>
#include <THNN/ClassNLL.h>
#include <THNN/Criterion.h>
#include <THNN/LookupTable.h>
#include <THNN/Losses.h>
#include <THNN/Windows.h>

#include <ATen/ops/zeros.h>

#include <vector>

using THDevice = th::Host; // the other is thc::Device, in THCUNN

#include <THNN/generic/Abs.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/AbsCriterion.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/BCECriterion.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/ClassNLLCriterion.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/Col2Im.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/ELU.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/HardTanh.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/Im2Col.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/LeakyReLU.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/LogSigmoid.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/LookupTable.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/MSECriterion.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/Sigmoid.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/SmoothL1Criterion.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/SoftPlus.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/SoftShrink.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/SpatialAdaptiveMaxPooling.c>
#include <TH/THGenerateFloatTypes.h>

#include <THNN/generic/Tanh.c>
#include <TH/THGenerateFloatTypes.h>
