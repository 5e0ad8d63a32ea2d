#pragma once
// Special functions of one or two numbers in double precision. Errors stay within a few ulp, except
// near the zeros of lgamma, digamma and their kin.

#include <cstdint>

namespace at::native::special_math {

// SpecialGamma.cpp

double lgamma(double x);               // log |gamma(x)|
double polygamma(int64_t n, double x); // derivatives of its derivative, digamma
double zeta(double s, double q);       // Hurwitz's zeta function
// The lower and upper regularized incomplete gamma functions; series end at a relative `tolerance`.
double gammainc(double a, double x, double tolerance = 1e-17);
double gammaincc(double a, double x, double tolerance = 1e-17);
// How draws change with a parameter while the value of their distribution function stays the same.
double gamma_draw_slope(double alpha, double x);
double beta_draw_slope(double alpha, double beta, double x);

// SpecialNormal.cpp

double ndtri(double p); // the inverse of the normal distribution function

} // namespace at::native::special_math
