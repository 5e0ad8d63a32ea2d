#include <torch/extension.h>

at::Tensor scale(const at::Tensor& x, double by) {
  return x * by;
}

TORCH_LIBRARY(mine, m) {
  m.def("scale(Tensor x, float by) -> Tensor", &scale);
}
