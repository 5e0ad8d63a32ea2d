#pragma once

// Stands in for the toolkit's header of the same name when CUDA_EMULATION is ON.

typedef struct {
  float x, y;
} cuFloatComplex;
typedef struct {
  double x, y;
} cuDoubleComplex;
typedef cuFloatComplex cuComplex;
