#pragma once
// What torch.__config__ says about the build and the machine.
#include <string>

namespace torch {

std::string show_config();
// "DEFAULT", "AVX2" or "AVX512": what the kernels of this process use.
std::string cpu_capability_name();

} // namespace torch
