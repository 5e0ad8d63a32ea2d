${generated}
#pragma once

#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/TensorMeta.h>
${includes}
#include <c10/core/Scalar.h>

#include <tuple>
#include <vector>

namespace at::meta {

${structs}
}  // namespace at::meta
//@section struct
struct TORCH_API ${meta} : public ${parent} {
  void meta(${parameters});
};

//@section precomputed
/// Each set_ returns the type that remembers it; meta returns the one in which all are set.
struct TORCH_API ${meta} : public ${parent} {
  template <${flags_with_defaults}>
  struct precompute_out {
    ${setters}
    ${fields}
  };
  using meta_return_ty = precompute_out<${all_true}>;
  meta_return_ty meta(${parameters});
};

//@section setter
precompute_out<${flags_after}> set_${name}(${type} value) const {
  static_assert(!${flag}, "${name} is already set");
  precompute_out<${flags_after}> result;
  ${assignments}
  return result;
}

