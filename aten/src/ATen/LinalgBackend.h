#pragma once
#include <cstdint>

namespace at {

// Which library of a CUDA build factors and solves; Default leaves the choice to each operator.
enum class LinalgBackend : int8_t { Default, Cusolver, Magma };

} // namespace at
