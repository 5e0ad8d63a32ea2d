${generated}

#include <ATen/UnboxingFunctions.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/unboxing.h>
${includes}

namespace at::unboxing {

${definitions}
}  // namespace at::unboxing
//@section function
// ${schema}
void ${name}(Stack& stack) {
  c10::impl::call_with_values<${count}>(
      stack, []([[maybe_unused]] const c10::IValue* arguments) -> decltype(auto) {
        return at::_ops::${name}::call(
            ${arguments}
        );
      });
}

