${generated}
#include <torch/csrc/autograd/python_method_tables.h>

namespace torch::autograd {

${declarations}

${lists}

}  // namespace torch::autograd
