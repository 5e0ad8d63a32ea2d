${generated}
#include <ATen/ViewMetaClasses.h>

${includes}

namespace at::functionalization {

${definitions}
}  // namespace at::functionalization
//@section class
c10::IValue ${name}::forward(const Tensor& base) const {
  ${forward}
}

Tensor ${name}::reverse(const Tensor& base, const Tensor& mutated_view) const {
  return FunctionalInverses::${inverse}(${inverse_arguments});
}

