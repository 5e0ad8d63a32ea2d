#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <c10/util/typeid.h>

#include <algorithm>
#include <atomic>
#include <ostream>

namespace c10 {

const char* toString(ScalarType t) {
  switch (t) {
#define C10_NAME(type, name, number) \
  case ScalarType::name:             \
    return #name;
    C10_FORALL_SCALAR_TYPES(C10_NAME)
#undef C10_NAME
#define C10_NAME(name, number, bytes) \
  case ScalarType::name:              \
    return #name;
    C10_FORALL_OPAQUE_TYPES(C10_NAME)
#undef C10_NAME
    case ScalarType::Undefined:
      return "Undefined";
    default:
      return "UNKNOWN_SCALAR";
  }
}

std::ostream& operator<<(std::ostream& out, ScalarType t) {
  return out << toString(t);
}

ScalarType toComplexType(ScalarType t) {
  switch (t) {
    case ScalarType::BFloat16:
    case ScalarType::Float:
    case ScalarType::ComplexFloat:
      return ScalarType::ComplexFloat;
    case ScalarType::Half:
    case ScalarType::ComplexHalf:
      return ScalarType::ComplexHalf;
    case ScalarType::Double:
    case ScalarType::ComplexDouble:
      return ScalarType::ComplexDouble;
    default:
      TORCH_CHECK(false, "Unknown Complex ScalarType for ", t);
  }
}

namespace {

// Rank in the order bool < integers < floating; a complex type has the rank of its real type.
int width_rank(ScalarType t) {
  switch (t) {
    case ScalarType::Char:
      return 1;
    case ScalarType::Short:
      return 2;
    case ScalarType::Int:
      return 3;
    case ScalarType::Long:
      return 4;
    case ScalarType::Half:
    case ScalarType::ComplexHalf:
      return 10;
    case ScalarType::Float:
    case ScalarType::ComplexFloat:
      return 11;
    case ScalarType::Double:
    case ScalarType::ComplexDouble:
      return 12;
    default:
      return 0;
  }
}

ScalarType promote_complex(ScalarType complex, ScalarType other) {
  TORCH_CHECK(
      !isBarebonesUnsignedType(other),
      "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote ",
      toString(complex), " and ", toString(other));
  if (isIntegralType(other, true)) {
    return complex;
  }
  // bfloat16 has float32's range, so its complex type is complex64.
  const int other_rank =
      other == ScalarType::BFloat16 ? width_rank(ScalarType::Float) : width_rank(other);
  const int rank = std::max(width_rank(complex), other_rank);
  return rank == 12 ? ScalarType::ComplexDouble
      : rank == 11  ? ScalarType::ComplexFloat
                    : ScalarType::ComplexHalf;
}

ScalarType promote_floating(ScalarType a, ScalarType b) {
  if (!isFloatingType(b)) {
    return a;
  }
  if (!isFloatingType(a)) {
    return b;
  }
  // Neither of the two half formats holds all values of the other.
  if (a == ScalarType::BFloat16 || b == ScalarType::BFloat16) {
    const ScalarType other = a == ScalarType::BFloat16 ? b : a;
    return other == ScalarType::Half ? ScalarType::Float : other;
  }
  return width_rank(a) > width_rank(b) ? a : b;
}

void check_promotable(ScalarType a, ScalarType b) {
  TORCH_CHECK(
      !isFloat8Type(a) && !isFloat8Type(b),
      "Promotion for Float8 Types is not supported, attempted to promote ", toString(a), " and ",
      toString(b));
  TORCH_CHECK(
      !isOpaqueType(a) && !isOpaqueType(b), "Promotion from ", toString(a), " and ", toString(b),
      " is unsupported.");
}

} // namespace

ScalarType promoteTypes(ScalarType a, ScalarType b) {
  if (a == b) {
    return a;
  }
  if (a == ScalarType::Undefined || b == ScalarType::Undefined) {
    return ScalarType::Undefined;
  }
  check_promotable(a, b);
  if (isComplexType(a)) {
    return promote_complex(a, b);
  }
  if (isComplexType(b)) {
    return promote_complex(b, a);
  }
  if (isFloatingType(a) || isFloatingType(b)) {
    return promote_floating(a, b);
  }
  TORCH_CHECK(
      !isBarebonesUnsignedType(a) && !isBarebonesUnsignedType(b),
      "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote ",
      toString(a), " and ", toString(b));
  if (a == ScalarType::Bool) {
    return b;
  }
  if (b == ScalarType::Bool) {
    return a;
  }
  // uint8 and int8 promote to int16, the smallest type that holds both.
  if ((a == ScalarType::Byte && b == ScalarType::Char) ||
      (a == ScalarType::Char && b == ScalarType::Byte)) {
    return ScalarType::Short;
  }
  return width_rank(a) > width_rank(b) ? a : b;
}

namespace {
std::atomic<ScalarType> default_dtype{ScalarType::Float};
} // namespace

void set_default_dtype(caffe2::TypeMeta dtype) {
  TORCH_CHECK_TYPE(
      isFloatingType(dtype.toScalarType()),
      "only floating-point types are supported as the default type");
  default_dtype.store(dtype.toScalarType(), std::memory_order_relaxed);
}
ScalarType get_default_dtype_as_scalartype() {
  return default_dtype.load(std::memory_order_relaxed);
}
caffe2::TypeMeta get_default_dtype() {
  return get_default_dtype_as_scalartype();
}
caffe2::TypeMeta get_default_complex_dtype() {
  return toComplexType(get_default_dtype_as_scalartype());
}

} // namespace c10

namespace caffe2 {
// The C++ name of the element type, as messages about dtype() show it.
std::ostream& operator<<(std::ostream& out, TypeMeta type) {
  using c10::ScalarType;
  switch (type.toScalarType()) {
    case ScalarType::Byte:
      return out << "unsigned char";
    case ScalarType::Char:
      return out << "signed char";
    case ScalarType::Short:
      return out << "short int";
    case ScalarType::Int:
      return out << "int";
    case ScalarType::Long:
      return out << "long int";
    case ScalarType::UInt16:
      return out << "short unsigned int";
    case ScalarType::UInt32:
      return out << "unsigned int";
    case ScalarType::UInt64:
      return out << "long unsigned int";
    case ScalarType::Half:
      return out << "c10::Half";
    case ScalarType::BFloat16:
      return out << "c10::BFloat16";
    case ScalarType::Float:
      return out << "float";
    case ScalarType::Double:
      return out << "double";
    case ScalarType::ComplexHalf:
      return out << "c10::complex<c10::Half>";
    case ScalarType::ComplexFloat:
      return out << "c10::complex<float>";
    case ScalarType::ComplexDouble:
      return out << "c10::complex<double>";
    case ScalarType::Bool:
      return out << "bool";
#define C10_NAME(type, name, number) \
  case ScalarType::name:             \
    return out << #type;
      C10_FORALL_FLOAT8_TYPES(C10_NAME)
#undef C10_NAME
    default:
      return out << type.name();
  }
}
} // namespace caffe2
