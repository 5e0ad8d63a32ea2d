${generated}
#pragma once

#include <ATen/TypeDefault.h>

namespace at {

/// The operators with a kernel for the dispatch key ${key}, which they call directly.
struct TORCH_API ${class} : public TypeDefault {
  using TypeDefault::TypeDefault;
  ${inherited}

  ${methods}
};

}  // namespace at
