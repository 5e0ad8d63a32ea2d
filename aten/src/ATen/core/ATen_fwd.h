#pragma once

// Forward declarations of the types in operator signatures, so that including the header of one
// operator is cheap.

#include <c10/core/Device.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>
#include <c10/core/QScheme.h>
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/complex.h>
#include <c10/util/string_view.h>

namespace c10 {
class DispatchKeySet;
class OperatorEntry;
class Scalar;
class Stream;
struct Storage;
struct TensorOptions;
template <class T>
class List;
} // namespace c10

namespace at {

class Tensor;
class TensorBase;
class OptionalTensorRef;
struct Generator;

using TensorList = c10::ArrayRef<Tensor>;
using ITensorListRef = TensorList;
// Named dimensions are not supported; the parameter exists so that signatures match.
using DimnameList = c10::ArrayRef<int>;
using IntArrayRef = c10::ArrayRef<int64_t>;
using OptionalIntArrayRef = c10::OptionalArrayRef<int64_t>;

using c10::ArrayRef;
using c10::Device;
using c10::DispatchKeySet;
using c10::Layout;
using c10::MemoryFormat;
using c10::QScheme;
using c10::Scalar;
using c10::ScalarType;
using c10::Storage;
using c10::Stream;
using c10::TensorOptions;

} // namespace at
