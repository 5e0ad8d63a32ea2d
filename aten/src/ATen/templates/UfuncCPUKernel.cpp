${generated}

#include <ATen/native/DispatchStub.h>
#include <ATen/native/cpu/UfuncLoops.h>
${headers}

namespace at::native {

using ${stub}_fn = void (*)(${types});
DECLARE_DISPATCH(${stub}_fn, ${stub});

inline namespace CPU_CAPABILITY {
namespace {

${formulas}

void ${root}_kernel(${parameters}) {
  AT_DISPATCH_SWITCH(iter.common_dtype(), "${shown}",
      ${cases}
  );
}

}  // namespace

REGISTER_DISPATCH(${stub}, &${root}_kernel)

}  // namespace CPU_CAPABILITY
}  // namespace at::native
//@section formula
struct ${name}_formula {
  template <typename... T>
  C10_ALWAYS_INLINE auto operator()(T... values) const -> decltype(ufunc::${name}(values...)) {
    return ufunc::${name}(values...);
  }
};

//@section case
AT_DISPATCH_CASE(c10::ScalarType::${dtype}, [&] {
  ${numbers}
  ${loop}
})
//@section factor
ufunc::with_factor<scalar_t>(${name}, [&](auto ${name}_) {
  ${loop}
});
