${generated}
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ${namespace} {

struct ${class_name} {
  ${declarations}
};

}  // namespace ${namespace}
