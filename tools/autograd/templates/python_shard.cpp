${generated}
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/wrap.h>

${includes}

namespace torch::autograd {

${return_types}

namespace {

${functions}
}  // namespace

PyMethodDef ${table}[] = {
${rows}
    {nullptr, nullptr, 0, nullptr}};

}  // namespace torch::autograd
