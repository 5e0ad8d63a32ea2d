${generated}

#include <torch/csrc/jit/runtime/serialized_shape_function_registry.h>

namespace torch::jit {

const std::string& GetSerializedShapeFunctions() {
  static const std::string functions = R"=====(
${program}
)=====";
  return functions;
}

const std::unordered_map<std::string, std::string>& GetShapeFunctionMappings() {
  static const std::unordered_map<std::string, std::string> mappings{
    ${rows}
  };
  return mappings;
}

}  // namespace torch::jit
//@section row
{"${schema}", "${name}"},
