#pragma once
// ${generated}

namespace torch::autograd {

enum class ReturnType : int {
${names}
};

}  // namespace torch::autograd
