#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <ostream>

namespace c10 {

std::ostream& operator<<(std::ostream& out, const Half& value) {
  return out << static_cast<float>(value);
}
std::ostream& operator<<(std::ostream& out, const BFloat16& value) {
  return out << static_cast<float>(value);
}
std::ostream& operator<<(std::ostream& out, const complex<float>& z) {
  return out << '(' << z.real() << ',' << z.imag() << ')';
}
std::ostream& operator<<(std::ostream& out, const complex<double>& z) {
  return out << '(' << z.real() << ',' << z.imag() << ')';
}
std::ostream& operator<<(std::ostream& out, const complex<Half>& z) {
  return out << complex<float>(z);
}

} // namespace c10
