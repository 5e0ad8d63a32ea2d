${generated}
#pragma once

#include <ATen/legacy/Backend.h>
#include <ATen/legacy/ExtensionBackend.h>
#include <c10/util/Exception.h>

namespace at {

/// Makes a function the kernel of an operator on an extension's back end:
///   register_extension_backend_op(
///       legacy::Backend::MSNPU, "add.Tensor(Tensor self, Tensor other, *, Scalar alpha) -> Tensor", &add);
/// Its parameters are those of the schema, in their order.
template <typename Function>
void register_extension_backend_op(
    legacy::Backend backend, const char* schema, Function* function) {
  switch (backend) {
    ${cases}
    default:
      TORCH_CHECK(false, "not the back end of an extension: ", legacy::toString(backend));
  }
}

}  // namespace at
//@section case
case legacy::Backend::${backend}:
  return legacy::register_extension_kernel(c10::DispatchKey::${key}, schema, function);
