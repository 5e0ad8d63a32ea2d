#include <torch/torch.h>

#include <cstdio>

int main() {
  const torch::Tensor x = torch::arange(6, torch::kFloat32).reshape({2, 3});
  const torch::Tensor y = torch::matmul(x, torch::ones({3, 2}));
  std::printf("%g %g %s\n", y.sum().item<double>(), y[1][0].item<double>(), TORCH_VERSION);
}
