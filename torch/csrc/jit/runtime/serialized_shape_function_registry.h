#pragma once

#include <c10/macros/Export.h>

#include <string>
#include <unordered_map>

// The shape functions of torch.jit._shape_functions for programs in C++. Their definitions are
// generated, with the option BUILD_SHAPE_FUNCTIONS.
namespace torch::jit {

// Returns the functions as the text of a file __torch__/torch/jit/_shape_programs.py of an archive.
// A tensor is the list of its sizes.
TORCH_API const std::string& GetSerializedShapeFunctions();

// Returns the name of the function by the schema of the operator, such as
// "aten::t(Tensor(a) self) -> Tensor(a)". The function takes the first arguments of the operator.
TORCH_API const std::unordered_map<std::string, std::string>& GetShapeFunctionMappings();

} // namespace torch::jit
