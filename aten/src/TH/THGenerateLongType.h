// Expands the file TH_GENERIC_FILE for 64-bit integers, the type of indices. It has no include
// guard.
#ifndef TH_GENERIC_FILE
#error "define TH_GENERIC_FILE before including TH/THGenerateLongType.h"
#endif

#define scalar_t int64_t
#define accreal int64_t
#define Real Long
#include TH_GENERIC_FILE
#undef scalar_t
#undef accreal
#undef Real

#undef TH_GENERIC_FILE
