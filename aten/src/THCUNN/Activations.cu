// Activations on CUDA devices.
#include <THCUNN/Kernels.cuh>

#include <THNN/Activations.h>

#include <THNN/generic/Abs.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/ELU.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/HardTanh.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/LeakyReLU.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/LogSigmoid.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/Sigmoid.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/SoftPlus.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/SoftShrink.c>
#include <THC/THCGenerateFloatTypes.h>

#include <THNN/generic/Tanh.c>
#include <THC/THCGenerateFloatTypes.h>
