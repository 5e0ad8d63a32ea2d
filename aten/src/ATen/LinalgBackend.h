#pragma once
#include <cstdint>

namespace at {

// Which library a CUDA build uses to factor and solve; Default leaves the choice to each operator.
enum class LinalgBackend : int8_t { Default, Cusolver, Magma };

} // namespace at
