${generated}

#include <ATen/native/DispatchStub.h>
#include <ATen/native/cuda/UfuncLoops.cuh>
${headers}

namespace at::native {

using ${stub}_fn = void (*)(${types});
DECLARE_DISPATCH(${stub}_fn, ${stub});

namespace {

${functors}

void ${root}_kernel_cuda(${parameters}) {
  AT_DISPATCH_SWITCH(iter.common_dtype(), "${root}_cuda",
      ${cases}
  );
}

}  // namespace

REGISTER_CUDA_DISPATCH(${stub}, &${root}_kernel_cuda)

${impl}

}  // namespace at::native
//@section formula
struct ${name}_formula {
  template <typename... T>
  C10_HOST_DEVICE auto operator()(T... values) const -> decltype(ufunc::${name}(values...)) {
    return ufunc::${name}(values...);
  }
};
template <typename T>
using ${name}_compute_type = ufunc::compute_type<T, ${name}_formula, ${inputs}>;

//@section functor
template <typename scalar_t>
struct ${functor} {
  using opmath_t = ${name}_compute_type<scalar_t>;
  ${fields}
  C10_HOST_DEVICE scalar_t operator()(${elements}) const {
    return convert_element<scalar_t>(ufunc::${name}(${values}));
  }
};

//@section impl
void structured_${kernel}::impl(${parameters}) {
  ${root}_kernel_cuda(${arguments});
}
//@section case
AT_DISPATCH_CASE(c10::ScalarType::${dtype}, [&] {
  ${numbers}
  ${loop}
})
//@section host_operand
if (const auto ${name}_ = ufunc::host_operand<opmath_t>(iter, ${operand})) {
  iter.remove_operand(${operand});
  gpu_kernel(iter, ${functor}<scalar_t>{${values}});
  return;
}
//@section loop
gpu_kernel(iter, ${functor}<scalar_t>{${values}});
