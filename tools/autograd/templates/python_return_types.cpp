${generated}
#include <torch/csrc/autograd/python_return_types.h>

namespace torch::autograd {
namespace {

${fields}

}  // namespace

const ReturnTypeInfo return_type_infos[] = {
${rows}
    {nullptr, nullptr, 0}};

const int return_type_count = ${count};

}  // namespace torch::autograd
