#pragma once

// Stands in for cuFFT's header of the same name when CUDA_EMULATION is ON: the part of its
// interface that this project calls, with its names, signatures and numbers. The CPU's transforms
// serve it (ATen/cuda/emulated/Cufft.cpp).

#include <cuComplex.h>
#include <cuda_runtime_api.h>

typedef enum {
  CUFFT_SUCCESS = 0x0,
  CUFFT_INVALID_PLAN = 0x1,
  CUFFT_ALLOC_FAILED = 0x2,
  CUFFT_INVALID_TYPE = 0x3,
  CUFFT_INVALID_VALUE = 0x4,
  CUFFT_INTERNAL_ERROR = 0x5,
  CUFFT_EXEC_FAILED = 0x6
} cufftResult;

typedef enum {
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_C2C = 0x29,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c,
  CUFFT_Z2Z = 0x69
} cufftType;

#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

extern "C" {

cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int automatic);
cufftResult cufftMakePlanMany64(
    cufftHandle plan, int rank, long long int* n, long long int* inembed, long long int istride,
    long long int idist, long long int* onembed, long long int ostride, long long int odist,
    cufftType type, long long int batch, size_t* work_size);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle plan, void* work);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out);
cufftResult cufftExecZ2Z(
    cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction);
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out);
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out);
}
