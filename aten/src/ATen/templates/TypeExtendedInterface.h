${generated}
#pragma once

#include <ATen/legacy/Type.h>
${includes}

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace at {

/// Every operator as a virtual function. tensor.dispatch_type() is the object for a tensor.
struct TypeExtendedInterface : public Type {
  using Type::Type;

  ${methods}
};

}  // namespace at
