${generated}

#include <ATen/FunctionalTable.h>
#include <ATen/ViewMetaClasses.h>

namespace at::functionalization {
namespace {

/// An operator that writes its arguments, and the one that computes what is written.
constexpr char mutations[] =
    ${mutations}
    "";

/// A view, and what makes the step to it.
constexpr ViewRow views[] = {
    ${views}
    {},
};

const FunctionalTable table(mutations, views);

}  // namespace
}  // namespace at::functionalization
