#include <ATen/core/Tensor.h>
#include <ATen/ops/item.h>
#include <ATen/ops/max.h>
#include <ATen/ops/min.h>
#include <ATen/ops/one_hot_native.h>
#include <ATen/ops/scatter.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/zeros.h>

namespace at::native {

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  TORCH_CHECK(
      self.scalar_type() == kLong,
      "one_hot is only applicable to index tensor of type LongTensor.");
  DimVector sizes(self.sizes());
  if (self.numel() == 0 && !self.is_meta()) {
    TORCH_CHECK(num_classes > 0, "Can not infer total number of classes from empty tensor.");
    sizes.push_back(num_classes);
    return at::zeros(sizes, self.options());
  }
  const bool in_python = self.unsafeGetTensorImpl()->is_python_dispatch();
  if (!self.is_meta() && !(in_python && num_classes >= 1)) {
    TORCH_CHECK(
        at::methods::item(at::min(self)).toLong() >= 0, "Class values must be non-negative.");
    const int64_t largest = at::methods::item(at::max(self)).toLong();
    if (num_classes == -1) {
      num_classes = largest + 1;
    } else {
      TORCH_CHECK(num_classes >= 1, "num_classes should be positive");
      TORCH_CHECK(largest < num_classes, "Class values must be smaller than num_classes.");
    }
  }
  TORCH_CHECK(num_classes >= 1, "num_classes should be positive");
  sizes.push_back(num_classes);
  const Tensor zeros = at::zeros(sizes, self.options());
  const Tensor index = at::unsqueeze(self, -1);
  return in_python ? at::scatter(zeros, -1, index, 1) : at::methods::scatter_(zeros, -1, index, 1);
}

} // namespace at::native
