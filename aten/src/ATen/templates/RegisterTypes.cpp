${generated}
#include <ATen/${header}.h>

${includes}
#include <ATen/legacy/TypeRegistry.h>

#include <memory>

namespace at {

void ${function}() {
  auto& dispatch = globalLegacyTypeDispatch();
  ${types}
}

namespace {
[[maybe_unused]] const bool registered = (${function}(), true);
}

}  // namespace at
//@section type
dispatch.registerType(std::make_unique<${class}>());
