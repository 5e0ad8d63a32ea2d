// Passes the generated shape functions and their table to Python.

#include <torch/csrc/jit/runtime/serialized_shape_function_registry.h>
#include <torch/library.h>

TORCH_LIBRARY(shape_functions_test, m) {
  m.def("text() -> str", [] { return torch::jit::GetSerializedShapeFunctions(); });
  m.def("function_of(str schema) -> str", [](std::string_view schema) {
    return torch::jit::GetShapeFunctionMappings().at(std::string(schema));
  });
  m.def("count() -> int", [] {
    return static_cast<int64_t>(torch::jit::GetShapeFunctionMappings().size());
  });
}
