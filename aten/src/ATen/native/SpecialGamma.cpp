// The gamma function's logarithm, its derivatives, and its incomplete integrals.
#include <ATen/native/DrawSlopes.h>
#include <ATen/native/SpecialMath.h>

#include <array>

namespace at::native::special_math {
namespace {

using Table = std::array<special_formulas::Node, special_formulas::kNodes>;

const Table& nodes() {
  static const Table table = [] {
    Table made{};
    for (int i = 0; i < special_formulas::kNodes; ++i) {
      made[i] = special_formulas::node_at(i);
    }
    return made;
  }();
  return table;
}

} // namespace

double lgamma(double x) {
  return special_formulas::lgamma(x);
}
double zeta(double s, double q) {
  return special_formulas::zeta(s, q);
}
double polygamma(int64_t n, double x) {
  return special_formulas::polygamma(n, x);
}
double gammainc(double a, double x, double tolerance) {
  return special_formulas::gammainc(nodes(), a, x, tolerance);
}
double gammaincc(double a, double x, double tolerance) {
  return special_formulas::gammaincc(nodes(), a, x, tolerance);
}
double gamma_draw_slope(double alpha, double x) {
  return special_formulas::gamma_draw_slope(nodes(), alpha, x);
}
double beta_draw_slope(double alpha, double beta, double x) {
  return special_formulas::beta_draw_slope(nodes(), alpha, beta, x);
}

} // namespace at::native::special_math
