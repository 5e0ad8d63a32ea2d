${generated}
#pragma once

#include <ATen/${base}.h>

namespace at {

struct TORCH_API ${class} final : public ${base} {
  using ${base}::${base};

  legacy::Backend backend() const override { return legacy::Backend::${backend}; }
  ScalarType scalarType() const override { return ScalarType::${scalar_type}; }
  const char* toString() const override { return "${class}"; }
};

}  // namespace at
