${generated}
#include <ATen/${class}.h>

#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/DispatchKeySet.h>
${includes}

namespace at {

${methods}
}  // namespace at
//@section call
// ${schema}
${declaration} {
  ${complete}
  return at::_ops::${operator}::call(${arguments});
}

//@section kernel
// ${schema}
${declaration} {
  const AutoDispatchBelowADInplaceOrView guard;
  ${complete}
  return at::_ops::${operator}::redispatch(${arguments});
}

