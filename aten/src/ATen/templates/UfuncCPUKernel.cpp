${generated}

#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/cpu/Loops.h>
${includes}

namespace at::native {

using ${stub}_fn = void (*)(${types});
DECLARE_DISPATCH(${stub}_fn, ${stub});

inline namespace CPU_CAPABILITY {
namespace {

void ${root}_kernel(${parameters}) {
  AT_DISPATCH_SWITCH(iter.common_dtype(), "${stub}",
      ${cases}
  );
}

}  // namespace

REGISTER_DISPATCH(${stub}, &${root}_kernel)

}  // namespace CPU_CAPABILITY
}  // namespace at::native
//@section case
AT_DISPATCH_CASE(c10::ScalarType::${dtype}, [&] {
  ${scalars}
  ${loop}
})
//@section vectors
vec_kernel<scalar_t(${types})>(iter, [=](${vectors}) { return ufunc::${name}(${values}); });
//@section elements
cpu_kernel(iter, [=](${elements}) -> scalar_t { return ufunc::${name}(${values}); });
