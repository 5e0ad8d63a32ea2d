${generated}

#include <ATen/TensorIterator.h>
#include <ATen/native/DispatchStub.h>
${headers}

namespace at::native {

using ${stub}_fn = void (*)(${types});
DECLARE_DISPATCH(${stub}_fn, ${stub});
DEFINE_DISPATCH(${stub});

${impl}

}  // namespace at::native
//@section impl
void structured_${kernel}::impl(${parameters}) {
  ${stub}(${arguments});
}
