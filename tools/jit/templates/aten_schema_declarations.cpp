${generated}

#include <string_view>

// The schema of every operator, one on each line, for tools that link this file.
namespace torch::jit {

extern const std::string_view schema_declarations;
const std::string_view schema_declarations = R"===(
${declarations}
)===";

}  // namespace torch::jit
