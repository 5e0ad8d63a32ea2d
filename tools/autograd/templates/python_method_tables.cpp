${generated}
#include <torch/csrc/autograd/python_method_tables.h>

namespace torch::autograd {

${declarations}
namespace {

${lists}
constexpr OperatorModule modules[] = {
  ${modules}
};

}  // namespace

PyMethodDef* const* const torch_method_tables = torch_tables;
PyMethodDef* const* const variable_method_tables = variable_tables;
const std::span<const OperatorModule> operator_modules = modules;

}  // namespace torch::autograd
//@section declaration
extern PyMethodDef ${table}[];
//@section list
constexpr PyMethodDef* ${family}_tables[] = {${tables}};
//@section module
{"${name}", "torch._C._${name}", ${name}_tables},
