${generated}

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/KernelTable.h>
${includes}

namespace at {
namespace {

${wrappers}
c10::KernelRow rows[] = {
  ${rows}
};
const c10::KernelTable table(rows);

}  // namespace
${namespace_functions}
}  // namespace at
//@section check
at::DeviceCheck("${method}")${tensors};
//@section guard
const c10::OptionalDeviceGuard guard(${guarded});
//@section uncounted
const AutoDispatchBelowADInplaceOrView uncounted;
//@section native
// ${schema}
${declaration} {
  ${check}
  ${guard}
  ${uncounted}
  return ${kernel}(${arguments});
}

//@section functional
// ${schema}
${declaration} {
  ${check}
  at::structured::Functional<${op}, ${count}, at::structured::${policy}> op;
  ${compute}
  return ${result};
}

//@section given
// ${schema}
${declaration} {
  ${check}
  at::structured::${variant}<${op}, ${count}, at::structured::${policy}> op(${outputs});
  ${compute}
  op.finish();
  ${return_outputs}
}

//@section meta
${meta};
//@section meta_and_out
${meta};
at::_ops::${struct}::call(${arguments});
//@section meta_and_impl
${meta};
op.impl(${arguments});
//@section namespace
namespace ${namespace} {
${functions}
}  // namespace ${namespace}
//@section direct
${declaration} {
  return ${wrapper}(${arguments});
}

