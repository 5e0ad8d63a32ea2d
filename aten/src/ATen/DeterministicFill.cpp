#include <ATen/DeterministicFill.h>

#include <ATen/Dispatch.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/fill.h>

#include <limits>

namespace at {
namespace {

Scalar conspicuous(ScalarType dtype) {
  if (c10::isFloatingType(dtype) || c10::isComplexType(dtype)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (dtype == kBool) {
    return true;
  }
  switch (dtype) {
    case kUInt16:
      return std::numeric_limits<uint16_t>::max();
    case kUInt32:
      return std::numeric_limits<uint32_t>::max();
    case kUInt64:
      return std::numeric_limits<uint64_t>::max();
    default:
      break;
  }
  return AT_DISPATCH_INTEGRAL_TYPES(
      dtype, "fill_unwritten", [] { return Scalar(std::numeric_limits<scalar_t>::max()); });
}

} // namespace

void fill_unwritten(const Tensor& tensor) {
  if (tensor.numel() == 0 || tensor.is_meta()) {
    return;
  }
  const AutoDispatchBelowADInplaceOrView below;
  Tensor alias = tensor;
  methods::fill_(alias, conspicuous(tensor.scalar_type()));
}

} // namespace at
