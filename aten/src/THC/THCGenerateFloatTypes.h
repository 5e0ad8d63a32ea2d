// Expands the file TH_GENERIC_FILE once for each floating-point type of CUDA devices. Besides the
// names of TH/THGenerateFloatTypes.h, `CReal` is the type's name on devices. It has no include
// guard.
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including THC/THCGenerateFloatTypes.h"
#endif

#define scalar_t float
#define accreal double
#define Real Float
#define CReal Cuda
#include TH_GENERIC_FILE
#undef scalar_t
#undef accreal
#undef Real
#undef CReal

#define scalar_t double
#define accreal double
#define Real Double
#define CReal CudaDouble
#include TH_GENERIC_FILE
#undef scalar_t
#undef accreal
#undef Real
#undef CReal

#undef TH_GENERIC_FILE
