${generated}

#include <torch/csrc/jit/runtime/decomposition_registry_util.h>

namespace torch::jit {

const std::string& GetSerializedDecompositions() {
  static const std::string functions = R"=====(
${program}
)=====";
  return functions;
}

const std::unordered_map<std::string, std::string>& GetDecompositionMapping() {
  static const std::unordered_map<std::string, std::string> mappings{
    ${rows}
  };
  return mappings;
}

}  // namespace torch::jit
//@section row
{"${schema}", "${name}"},
