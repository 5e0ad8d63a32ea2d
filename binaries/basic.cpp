// What a program does with tensors, from creation to gradients; it ends with 0 if all of it holds.
#include <torch/torch.h>

#include <cstdio>

namespace {

void check(bool holds, const char* what) {
  TORCH_CHECK(holds, "does not hold: ", what);
}

void check_scalars() {
  const c10::Scalar one = 1, half = 0.5, flag = true;
  check(one.isIntegral(false) && half.isFloatingPoint() && flag.isBoolean(), "kinds of scalars");
  check(half.toDouble() == 0.5 && one.toLong() == 1, "values of scalars");
  check(torch::scalar_tensor(3).item<int>() == 3, "a scalar as a tensor");
}

void check_undefined_tensors() {
  const torch::Tensor undefined;
  check(!undefined.defined(), "a default tensor is undefined");
  bool refused = false;
  try {
    (void)undefined.add(1);
  } catch (const c10::Error&) {
    refused = true;
  }
  check(refused, "operators refuse undefined tensors");
}

void check_operators() {
  const auto a = torch::arange(6, torch::kFloat).reshape({2, 3});
  check(a.sum().item<float>() == 15, "sum");
  check((a + a).equal(a * 2), "sum and product");
  check(a.mm(a.t()).sizes() == c10::IntArrayRef({2, 2}), "matrix product");
  check(a.t().is_contiguous() == false && a.t().contiguous().equal(a.t()), "strides");
  check(torch::cat({a, a}).size(0) == 4 && a[1][2].item<float>() == 5, "cat and indexing");
}

void check_gradients() {
  const auto x = torch::arange(3, torch::kFloat).set_requires_grad(true);
  (x * x).sum().backward();
  check(x.grad().equal(x.detach() * 2), "gradient of a square");
}

} // namespace

int main() {
  check_scalars();
  check_undefined_tensors();
  check_operators();
  check_gradients();
  std::puts("basic: ok");
}
