${generated}

#include <ATen/TensorIterator.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/ops/${root}_native.h>

namespace at::native {

using ${stub}_fn = void (*)(${types});
DECLARE_DISPATCH(${stub}_fn, ${stub});
DEFINE_DISPATCH(${stub});

void structured_${kernel}::impl(${parameters}) {
  ${stub}(${arguments});
}

}  // namespace at::native
