${generated}

#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/boxing.h>
#include <ATen/core/dispatch/KernelTable.h>
${includes}

${instantiations}
namespace at {
namespace {

c10::OperatorEntry* const entries[] = {
  ${entries}
};
const c10::EntryTable table(entries);

}  // namespace
}  // namespace at
//@section instantiation
// ${struct}
template struct c10::impl::boxing<${type}>;
