#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Float8.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>

namespace c10 {

// _(C++ type, name, number). The numbers match PyTorch's, because files store them.
#define C10_FORALL_NUMBER_TYPES(_)           \
  _(uint8_t, Byte, 0)                        \
  _(int8_t, Char, 1)                         \
  _(int16_t, Short, 2)                       \
  _(int, Int, 3)                             \
  _(int64_t, Long, 4)                        \
  _(c10::Half, Half, 5)                      \
  _(float, Float, 6)                         \
  _(double, Double, 7)                       \
  _(c10::complex<c10::Half>, ComplexHalf, 8) \
  _(c10::complex<float>, ComplexFloat, 9)    \
  _(c10::complex<double>, ComplexDouble, 10) \
  _(bool, Bool, 11)                          \
  _(c10::BFloat16, BFloat16, 15)             \
  _(uint16_t, UInt16, 27)                    \
  _(uint32_t, UInt32, 28)                    \
  _(uint64_t, UInt64, 29)
// Storage that converts to and from the other types; few operators support it.
#define C10_FORALL_FLOAT8_TYPES(_)             \
  _(c10::Float8_e5m2, Float8_e5m2, 23)         \
  _(c10::Float8_e4m3fn, Float8_e4m3fn, 24)     \
  _(c10::Float8_e5m2fnuz, Float8_e5m2fnuz, 25) \
  _(c10::Float8_e4m3fnuz, Float8_e4m3fnuz, 26) \
  _(c10::Float8_e8m0fnu, Float8_e8m0fnu, 44)
#define C10_FORALL_SCALAR_TYPES(_) \
  C10_FORALL_NUMBER_TYPES(_)       \
  C10_FORALL_FLOAT8_TYPES(_)

// _(name, number, bytes). Types whose tensors can only be moved, copied and viewed as another type:
// there is no C++ type and no conversion.
#define C10_FORALL_OPAQUE_TYPES(_) \
  _(Bits1x8, 18, 1)                \
  _(Bits2x4, 19, 1)                \
  _(Bits4x2, 20, 1)                \
  _(Bits8, 21, 1)                  \
  _(Bits16, 22, 2)                 \
  _(UInt1, 30, 1)                  \
  _(UInt2, 31, 1)                  \
  _(UInt3, 32, 1)                  \
  _(UInt4, 33, 1)                  \
  _(UInt5, 34, 1)                  \
  _(UInt6, 35, 1)                  \
  _(UInt7, 36, 1)                  \
  _(Int1, 37, 1)                   \
  _(Int2, 38, 1)                   \
  _(Int3, 39, 1)                   \
  _(Int4, 40, 1)                   \
  _(Int5, 41, 1)                   \
  _(Int6, 42, 1)                   \
  _(Int7, 43, 1)                   \
  _(Float4_e2m1fn_x2, 45, 1)

enum class ScalarType : int8_t {
#define C10_ENUMERATOR(type, name, number) name = number,
  C10_FORALL_SCALAR_TYPES(C10_ENUMERATOR)
#undef C10_ENUMERATOR
#define C10_ENUMERATOR(name, number, bytes) name = number,
      C10_FORALL_OPAQUE_TYPES(C10_ENUMERATOR)
#undef C10_ENUMERATOR
          Undefined = 46,
  NumOptions = 47,
};
constexpr uint16_t NumScalarTypes = static_cast<uint16_t>(ScalarType::NumOptions);

#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(_) C10_FORALL_SCALAR_TYPES_PAIRS(_)
#define AT_FORALL_INT_TYPES(_) \
  _(uint8_t, Byte)             \
  _(int8_t, Char)              \
  _(int16_t, Short)            \
  _(int, Int)                  \
  _(int64_t, Long)
#define AT_FORALL_SCALAR_TYPES(_) \
  AT_FORALL_INT_TYPES(_)          \
  _(float, Float)                 \
  _(double, Double)
#define AT_FORALL_COMPLEX_TYPES(_)     \
  _(c10::complex<float>, ComplexFloat) \
  _(c10::complex<double>, ComplexDouble)
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(_) \
  AT_FORALL_SCALAR_TYPES(_)                    \
  _(c10::Half, Half)                           \
  _(c10::complex<c10::Half>, ComplexHalf)      \
  AT_FORALL_COMPLEX_TYPES(_)                   \
  _(bool, Bool)                                \
  _(c10::BFloat16, BFloat16)                   \
  _(uint16_t, UInt16)                          \
  _(uint32_t, UInt32)                          \
  _(uint64_t, UInt64)                          \
  _(c10::Float8_e5m2, Float8_e5m2)             \
  _(c10::Float8_e4m3fn, Float8_e4m3fn)         \
  _(c10::Float8_e5m2fnuz, Float8_e5m2fnuz)     \
  _(c10::Float8_e4m3fnuz, Float8_e4m3fnuz)     \
  _(c10::Float8_e8m0fnu, Float8_e8m0fnu)
#define C10_FORALL_SCALAR_TYPES_PAIRS(_) AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(_)

#define C10_CONSTANT(type, name, number) constexpr ScalarType k##name = ScalarType::name;
C10_FORALL_SCALAR_TYPES(C10_CONSTANT)
#undef C10_CONSTANT
#define C10_CONSTANT(name, number, bytes) constexpr ScalarType k##name = ScalarType::name;
C10_FORALL_OPAQUE_TYPES(C10_CONSTANT)
#undef C10_CONSTANT

template <typename T>
struct CppTypeToScalarType;
namespace impl {
template <ScalarType N>
struct ScalarTypeToCPPType;
template <ScalarType N>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<N>::type;
} // namespace impl

#define C10_SPECIALIZE(cpp, name, number)                 \
  template <>                                             \
  struct CppTypeToScalarType<cpp> {                       \
    static constexpr ScalarType value = ScalarType::name; \
  };                                                      \
  template <>                                             \
  struct impl::ScalarTypeToCPPType<ScalarType::name> {    \
    using type = cpp;                                     \
  };
C10_FORALL_SCALAR_TYPES(C10_SPECIALIZE)
#undef C10_SPECIALIZE
template <>
struct CppTypeToScalarType<long long> {
  static constexpr ScalarType value = ScalarType::Long;
};
template <typename T>
constexpr ScalarType CppTypeToScalarType_v = CppTypeToScalarType<T>::value;

namespace detail {
struct ScalarTypeSizes {
  uint8_t bytes[NumScalarTypes] = {};
  constexpr ScalarTypeSizes() {
#define C10_SIZE(type, name, number) bytes[number] = sizeof(type);
    C10_FORALL_SCALAR_TYPES(C10_SIZE)
#undef C10_SIZE
#define C10_SIZE(name, number, size) bytes[number] = size;
    C10_FORALL_OPAQUE_TYPES(C10_SIZE)
#undef C10_SIZE
  }
};
inline constexpr ScalarTypeSizes scalar_type_sizes;
} // namespace detail

// The size of an element in bytes; 0 for Undefined.
constexpr size_t elementSize(ScalarType t) {
  return detail::scalar_type_sizes.bytes[static_cast<uint8_t>(t)];
}

C10_API const char* toString(ScalarType t);
C10_API std::ostream& operator<<(std::ostream& out, ScalarType t);

constexpr bool isBarebonesUnsignedType(ScalarType t) {
  return t == ScalarType::UInt16 || t == ScalarType::UInt32 || t == ScalarType::UInt64;
}
constexpr bool isBitsType(ScalarType t) {
  return t >= ScalarType::Bits1x8 && t <= ScalarType::Bits16;
}
constexpr bool isFloat8Type(ScalarType t) {
  return (t >= ScalarType::Float8_e5m2 && t <= ScalarType::Float8_e4m3fnuz) ||
      t == ScalarType::Float8_e8m0fnu;
}
constexpr bool isOpaqueType(ScalarType t) {
  return isBitsType(t) || (t >= ScalarType::UInt1 && t <= ScalarType::Int7) ||
      t == ScalarType::Float4_e2m1fn_x2;
}
// The types that few operators support; PyTorch, too, has them as storage.
constexpr bool isStorageType(ScalarType t) {
  return isBarebonesUnsignedType(t) || isFloat8Type(t) || isOpaqueType(t);
}
constexpr bool isIntegralType(ScalarType t, bool includeBool) {
  return (t >= ScalarType::Byte && t <= ScalarType::Long) || isBarebonesUnsignedType(t) ||
      (includeBool && t == ScalarType::Bool);
}
constexpr bool isHalfFloatingType(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16;
}
// Fewer bits than float has.
constexpr bool isReducedFloatingType(ScalarType t) {
  return isHalfFloatingType(t) || isFloat8Type(t) || t == ScalarType::Float4_e2m1fn_x2;
}
constexpr bool isFloatingType(ScalarType t) {
  return t == ScalarType::Float || t == ScalarType::Double || isReducedFloatingType(t);
}
constexpr bool isComplexType(ScalarType t) {
  return t >= ScalarType::ComplexHalf && t <= ScalarType::ComplexDouble;
}
constexpr bool isQIntType(ScalarType) {
  return false;
}
constexpr bool isSignedType(ScalarType t) {
  return !(
      t == ScalarType::Byte || t == ScalarType::Bool || isBarebonesUnsignedType(t) ||
      isBitsType(t) || (t >= ScalarType::UInt1 && t <= ScalarType::UInt7) ||
      t == ScalarType::Float8_e8m0fnu);
}
constexpr bool isUnderlying(ScalarType type, ScalarType qtype) {
  return type == qtype;
}

// The real type of a complex type; other types map to themselves.
constexpr ScalarType toRealValueType(ScalarType t) {
  switch (t) {
    case ScalarType::ComplexHalf:
      return ScalarType::Half;
    case ScalarType::ComplexFloat:
      return ScalarType::Float;
    case ScalarType::ComplexDouble:
      return ScalarType::Double;
    default:
      return t;
  }
}
// The complex type with this real type. Throws for integers.
C10_API ScalarType toComplexType(ScalarType t);

// Whether a result computed as `from` may be written to a tensor of type `to`.
constexpr bool canCast(ScalarType from, ScalarType to) {
  if (isComplexType(from) && !isComplexType(to)) {
    return false;
  }
  if (isFloatingType(from) && isIntegralType(to, false)) {
    return false;
  }
  return !(from != ScalarType::Bool && to == ScalarType::Bool);
}

C10_API ScalarType promoteTypes(ScalarType a, ScalarType b);

} // namespace c10

namespace at {
using c10::ScalarType;
#define C10_CONSTANT(type, name, number) using c10::k##name;
C10_FORALL_SCALAR_TYPES(C10_CONSTANT)
#undef C10_CONSTANT
#define C10_CONSTANT(name, number, bytes) using c10::k##name;
C10_FORALL_OPAQUE_TYPES(C10_CONSTANT)
#undef C10_CONSTANT
using c10::canCast;
using c10::elementSize;
using c10::isBarebonesUnsignedType;
using c10::isBitsType;
using c10::isComplexType;
using c10::isFloat8Type;
using c10::isFloatingType;
using c10::isHalfFloatingType;
using c10::isIntegralType;
using c10::isOpaqueType;
using c10::isReducedFloatingType;
using c10::isStorageType;
using c10::promoteTypes;
using c10::toComplexType;
using c10::toRealValueType;
using c10::toString;
using BFloat16 = c10::BFloat16;
using Half = c10::Half;
} // namespace at
