#pragma once

#include <c10/macros/Export.h>

#include <string>
#include <unordered_map>

// The decompositions of torch._decomp.programs for programs in C++. Their definitions are
// generated, with the option BUILD_DECOMPOSITIONS.
namespace torch::jit {

// Returns the functions as the text of a file __torch__/torch/jit/_decomposition_programs.py of an
// archive. They compute in the types of their tensors, 16-bit floats too.
TORCH_API const std::string& GetSerializedDecompositions();

// Returns the name of the function by the schema of the operator, such as
// "aten::silu(Tensor self) -> Tensor". The function takes all arguments of the operator by
// position.
TORCH_API const std::unordered_map<std::string, std::string>& GetDecompositionMapping();

} // namespace torch::jit
