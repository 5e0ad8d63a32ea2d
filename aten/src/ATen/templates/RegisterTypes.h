${generated}
#pragma once

#include <c10/macros/Export.h>

namespace at {

/// Adds the types to the registry. Loading the library calls it.
TORCH_API void ${function}();

}  // namespace at
