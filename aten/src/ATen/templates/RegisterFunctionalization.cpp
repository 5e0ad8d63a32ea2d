${generated}

#include <ATen/FunctionalTable.h>

namespace at::functionalization {
namespace {

/// An operator that writes its arguments, and the one that computes what is written.
constexpr char mutations[] =
    ${mutations}
    "";

/// A view, the operator that copies instead, and its inverse.
constexpr ViewRow views[] = {
    ${views}
    {},
};

const FunctionalTable table(mutations, views);

}  // namespace
}  // namespace at::functionalization
