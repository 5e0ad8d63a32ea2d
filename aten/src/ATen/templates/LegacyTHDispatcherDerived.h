${generated}
#pragma once

#include <ATen/LegacyTHDispatcher.h>

namespace at {

class ${name} final : public LegacyTHDispatcher {
 public:
  ${name}() : LegacyTHDispatcher("${backend}${type}Type") {}

  ${methods}
};

} // namespace at
