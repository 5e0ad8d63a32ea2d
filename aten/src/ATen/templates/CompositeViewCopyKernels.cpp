${generated}

#include <ATen/native/ViewCopies.h>
${includes}

namespace at::native {

${kernels}
}  // namespace at::native
//@section copy
// ${schema}
${declaration} {
  return copy_of(at::_ops::${view}::call(${arguments}));
}

//@section out
// ${schema}
${declaration} {
  copy_to_out(out, at::_ops::${view}::call(${arguments}));
}

