${generated}

#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/operator_info.h>
#include <ATen/core/dispatch/Dispatch.h>
${includes}

namespace at::_ops {

${definitions}
}  // namespace at::_ops
//@section operator
// ${schema}
constinit c10::OperatorEntry ${struct}::entry{c10::make_operator_info<${struct}>()};
${call} {
  return c10::dispatch<schema>(${dispatch});
}
${redispatch} {
  return c10::redispatch<schema>(${redispatch_arguments});
}

