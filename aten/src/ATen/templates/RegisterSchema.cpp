${generated}

#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/operator_info-inl.h>
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
template struct c10::impl::signature_boxing<${type}>;
