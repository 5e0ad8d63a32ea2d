// Functions of the normal distribution.
#include <ATen/native/SpecialFormulas.h>
#include <ATen/native/SpecialMath.h>

namespace at::native::special_math {

double ndtri(double p) {
  return special_formulas::ndtri(p);
}

} // namespace at::native::special_math
