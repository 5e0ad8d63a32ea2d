${generated}

#include <caffe2/contrib/aten/aten_op.h>

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
${includes}

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace caffe2::aten {
namespace {

${functions}
const Implementation rows[] = {
  ${rows}
};

}  // namespace

ImplementationTable ${table}() {
  return rows;
}

}  // namespace caffe2::aten
//@section function
// ${schema}
std::vector<at::Tensor> ${name}(const ATenCall& call) {
  return tensors_of(at::_ops::${name}::call(
      ${arguments}
  ));
}

//@section row
{"${key}", "${operator}", "${overload}", "${required}", "${optional}", ${arity}, &${function}},
