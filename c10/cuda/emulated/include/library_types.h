#pragma once

// Stands in for the CUDA toolkit's header of the same name when CUDA_EMULATION is ON: the element
// types that the mathematical libraries are told.

typedef enum cudaDataType_t {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_16BF = 14
} cudaDataType;
