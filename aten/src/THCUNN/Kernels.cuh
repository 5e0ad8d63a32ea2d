#pragma once
// What the files of THNN/generic need to be expanded for CUDA devices: THNN's names, for THC's.
#include <THC/THCDevice.cuh>
#include <TH/THTensor.h>
#include <THCUNN/THCUNN.h>

using THDevice = thc::Device;
using THNNState = THCState;
using THIndexTensor = THCIndexTensor;
using THIntegerTensor = THCIntegerTensor;
