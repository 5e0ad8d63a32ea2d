#pragma once
// The build and machine information behind torch.__config__.
#include <c10/macros/Export.h>

#include <string>

namespace torch {

TORCH_API std::string show_config();
// The capability of the kernels that this process uses: "DEFAULT", "AVX2" or "AVX512".
TORCH_API std::string cpu_capability_name();

} // namespace torch
