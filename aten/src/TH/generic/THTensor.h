#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "TH/generic/THTensor.h"
#else

// The elements in memory.
TH_API scalar_t* THTensor_(data)(const THTensor* self);
TH_API int64_t THTensor_(nElement)(const THTensor* self);
TH_API int64_t THTensor_(nDimension)(const THTensor* self);
TH_API int64_t THTensor_(size)(const THTensor* self, int64_t dim);
TH_API int64_t THTensor_(stride)(const THTensor* self, int64_t dim);
TH_API bool THTensor_(isContiguous)(const THTensor* self);
// The tensor itself or a contiguous copy; a new reference, which THTensor_(free) drops.
TH_API THTensor* THTensor_(newContiguous)(THTensor* self);
TH_API void THTensor_(free)(THTensor* self);
TH_API void THTensor_(resizeAs)(THTensor* self, const THTensor* other);
TH_API void THTensor_(resizeNd)(THTensor* self, c10::IntArrayRef sizes);
// Lets `self` share the memory, sizes and strides of `other`.
TH_API void THTensor_(set)(THTensor* self, THTensor* other);
TH_API void THTensor_(copy)(THTensor* self, THTensor* other);
TH_API void THTensor_(zero)(THTensor* self);
TH_API void THTensor_(fill)(THTensor* self, scalar_t value);
TH_API accreal THTensor_(sumall)(THTensor* self);

#endif
