// Expands the file TH_GENERIC_FILE once for each floating-point type. Within it, `Real` is the
// type's name, `scalar_t` the type itself, and `accreal` the type of sums and numeric arguments. It
// has no include guard.
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including TH/THGenerateFloatTypes.h"
#endif

#define scalar_t float
#define accreal double
#define Real Float
#include TH_GENERIC_FILE
#undef scalar_t
#undef accreal
#undef Real

#define scalar_t double
#define accreal double
#define Real Double
#include TH_GENERIC_FILE
#undef scalar_t
#undef accreal
#undef Real

#undef TH_GENERIC_FILE
