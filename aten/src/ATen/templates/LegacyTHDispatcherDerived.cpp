${generated}
#include <ATen/${name}.h>

#include <ATen/DeviceGuard.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
${headers}

namespace at {
namespace {

const ${name} dispatcher;
const RegisterLegacyTHDispatcher registration(${device}, ScalarType::${type}, dispatcher);

} // namespace

${methods}
} // namespace at
//@section method
${returns} ${dispatcher}::${name}(${arguments}) const {
  const AutoDispatchBelowADInplaceOrView guard;
  const OptionalDeviceGuard device(device_of(${dispatched}));
  ${checks}
  ${call}
  ${scalars}
  return ${results};
}

