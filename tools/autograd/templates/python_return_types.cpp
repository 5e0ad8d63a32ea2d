${generated}
#include <torch/csrc/autograd/python_return_types.h>

namespace torch::autograd {

${types}
ReturnType* const return_types[] = {
    ${pointers}
    nullptr};

}  // namespace torch::autograd
//@section type
static PyStructSequence_Field ${variable}_fields[] = {${entries}, {nullptr, nullptr}};
ReturnType ${variable} = {"torch.return_types.${name}", ${variable}_fields, ${count}};

