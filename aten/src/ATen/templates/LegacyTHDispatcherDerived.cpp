${generated}
#include <ATen/${name}.h>

#include <ATen/WrapDimUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
${headers}

namespace at {

${methods}
} // namespace at
//@section method
${returns} ${dispatcher}::${name}(${arguments}) const {
  const AutoDispatchBelowADInplaceOrView guard;
  ${checks}
  ${call}
  ${scalars}
  return ${results};
}

