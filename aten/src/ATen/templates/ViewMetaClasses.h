${generated}
#pragma once

#include <ATen/ViewMeta.h>

#include <optional>
#include <string>
#include <vector>

namespace at::functionalization {

${declarations}
}  // namespace at::functionalization
//@section class
// ${schema}
struct TORCH_API ${name} final : ViewMeta {
  ${name}(${parameters})
      : ${initializers} {}

  const char* name() const override { return "${name}"; }
  c10::IValue forward(const Tensor& base) const override;
  Tensor reverse(const Tensor& base, const Tensor& mutated_view) const override;
  ${out_index}
  ${fields}
};

//@section out_index
std::shared_ptr<const ViewMeta> to_out_index(int64_t index) const override {
  auto step = std::make_shared<${name}>(*this);
  step->out_index = index;
  return step;
}
