${generated}
#pragma once

#include <ATen/TypeExtendedInterface.h>

namespace at {

/// Every operator as a call of the dispatcher, for back ends without a kernel of their own.
struct TORCH_API TypeDefault : public TypeExtendedInterface {
  using TypeExtendedInterface::TypeExtendedInterface;

  ${methods}
};

}  // namespace at
