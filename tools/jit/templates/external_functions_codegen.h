${generated}
#pragma once

#include <torch/csrc/jit/tensorexpr/external_functions.h>

#include <type_traits>

namespace torch::jit::tensorexpr {

extern "C" {
${declarations}
}

}  // namespace torch::jit::tensorexpr
