#pragma once
// The build and machine information behind torch.__config__.
#include <string>

namespace torch {

std::string show_config();
// The capability of the kernels that this process uses: "DEFAULT", "AVX2" or "AVX512".
std::string cpu_capability_name();

} // namespace torch
