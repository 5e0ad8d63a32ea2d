${generated}

#include "LazyIr.h"

${includes}

namespace ${namespace} {

using torch::lazy::Arguments;

${lowerings}
}  // namespace ${namespace}
//@section lowering
// ${schema}
Kernel ${name}::Lower() const {
  return [${captures}]([[maybe_unused]] Arguments& arguments) {
    ${taken}
    return torch::lazy::results_of(at::_ops::${struct}::call(${call}));
  };
}

