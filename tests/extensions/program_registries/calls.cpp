// Passes the generated shape functions and decompositions, with their tables, to Python.

#include <torch/csrc/jit/runtime/decomposition_registry_util.h>
#include <torch/csrc/jit/runtime/serialized_shape_function_registry.h>
#include <torch/library.h>

namespace {

using Mapping = std::unordered_map<std::string, std::string>;

void define(
    torch::Library& m, const std::string& kind, const std::string& text, const Mapping& of) {
  m.def((kind + "_text() -> str").c_str(), [&text] { return text; });
  m.def((kind + "_of(str schema) -> str").c_str(), [&of](std::string_view schema) {
    return of.at(std::string(schema));
  });
  m.def((kind + "_count() -> int").c_str(), [&of] { return static_cast<int64_t>(of.size()); });
}

} // namespace

TORCH_LIBRARY(program_registries_test, m) {
  using namespace torch::jit;
  define(m, "shapes", GetSerializedShapeFunctions(), GetShapeFunctionMappings());
  define(m, "decompositions", GetSerializedDecompositions(), GetDecompositionMapping());
}
