${generated}
#pragma once

namespace torch::autograd {

enum class ReturnType : int {
${names}
};

}  // namespace torch::autograd
