#include <TH/THTensor.h>

#include <TH/THTensorApply.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <TH/generic/THTensor.cpp>
#include <TH/THGenerateFloatTypes.h>

#include <TH/generic/THTensor.cpp>
#include <TH/THGenerateLongType.h>

#include <TH/generic/THTensorMath.cpp>
#include <TH/THGenerateFloatTypes.h>
