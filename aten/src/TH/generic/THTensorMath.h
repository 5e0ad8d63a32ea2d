#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "TH/generic/THTensorMath.h"
#else

// Counts elements in `bins` intervals of equal width between the limits. If the limits are equal,
// they are the least and the greatest element.
TH_API void THTensor_(histc)(
    THTensor* result, THTensor* self, int64_t bins, accreal least, accreal greatest);
// Scales each slice along `dim` whose p-norm exceeds `maxnorm`, so that it equals `maxnorm`.
TH_API void THTensor_(renorm)(
    THTensor* result, THTensor* self, accreal p, int64_t dim, accreal maxnorm);

#endif
