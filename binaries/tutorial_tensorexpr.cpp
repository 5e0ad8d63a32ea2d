// Tensor expressions step by step: define, transform, print, and run. It ends with 0 if the
// results of both back ends are ATen's.

#include <ATen/ATen.h>
#include <torch/csrc/jit/tensorexpr/codegen.h>
#include <torch/csrc/jit/tensorexpr/ir_printer.h>
#include <torch/csrc/jit/tensorexpr/loopnest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>

using namespace torch::jit::tensorexpr;

namespace {

void show(const char* title, const LoopNest& nest) {
  std::printf("\n%s\n%s", title, to_string(nest.root_stmt()).c_str());
}

// Runs both back ends; the last tensor is the result.
void check(
    const char* what, const LoopNest& nest, const std::vector<BufHandle>& args,
    std::vector<at::Tensor> tensors, const at::Tensor& expected) {
  const SimpleIREvaluator evaluator(nest.root_stmt(), args);
  const CppCodeGen compiled(nest.root_stmt(), args);
  for (const CodeGen* program :
       {static_cast<const CodeGen*>(&evaluator), static_cast<const CodeGen*>(&compiled)}) {
    tensors.back() = at::zeros_like(expected);
    program->call(tensors);
    TORCH_CHECK(at::allclose(tensors.back(), expected, 1e-4, 1e-5), what, ": not ATen's result");
  }
  std::printf("%s: both back ends agree with ATen\n", what);
}

void expressions() {
  const VarHandle i("i");
  const ExprHandle value = ifThenElse(i < 3, i * 2, i + 1);
  std::printf("An expression: %s\n", to_string(value.node()).c_str());
}

void element_wise() {
  const BufHandle x("x", {10, 7}, at::kFloat);
  const Tensor twice = Compute("twice", {10, 7}, [&](const auto& i) {
    return x.load({i[0], i[1]}) * 2.f;
  });
  const Tensor y = Compute("y", {10, 7}, [&](const auto& i) {
    return tanh(twice.load({i[0], i[1]})) + 1.f;
  });
  LoopNest nest({y}, {twice, y});
  show("Two tensors, each with its loops:", nest);
  nest.computeInline(twice);
  auto loops = nest.getLoopsFor(y);
  const auto split = nest.splitWithMask(loops[0], 4);
  nest.reorderAxis(split.inner, split.outer);
  nest.vectorize(nest.getLoopsFor(y).back());
  nest.prepareForCodegen();
  show("The first inlined, the rows split and reordered, the columns vectorized:", nest);
  const at::Tensor input = at::rand({10, 7});
  check("tanh(2x) + 1", nest, {x, y.buf}, {input, {}}, at::tanh(input * 2) + 1);
}

void reduction() {
  const BufHandle a("a", {6, 9}, at::kFloat), b("b", {9, 5}, at::kFloat);
  const Tensor c = Reduce(
      "c", {6, 5}, Reducer::Sum(),
      [&](const auto& i) {
        return a.load({i[0], i[2]}) * b.load({i[2], i[1]});
      },
      {9});
  LoopNest nest({c});
  show("A matrix product:", nest);
  const auto loops = nest.getLoopsFor(c);
  nest.splitWithTail(loops[2], 4);
  nest.parallel(loops[0]);
  nest.prepareForCodegen();
  show("The sum split with a tail, the rows parallel:", nest);
  const at::Tensor left = at::rand({6, 9}), right = at::rand({9, 5});
  check("matrix product", nest, {a, b, c.buf}, {left, right, {}}, at::matmul(left, right));
}

template <class F>
double median_ms(const F& f) {
  std::vector<double> times;
  for (int n = 0; n < 21; ++n) {
    const auto start = std::chrono::steady_clock::now();
    f();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void fusion() {
  constexpr int64_t n = 1 << 24;
  const BufHandle x("x", {n}, at::kFloat), y("y", {n}, at::kFloat);
  const Tensor z = Compute("z", {n}, [&](const auto& i) {
    const ExprHandle a = x.load({i[0]}), b = y.load({i[0]});
    return Max(a * b + a, ExprHandle(0.f)) - b * 0.5f;
  });
  LoopNest nest({z});
  const auto split = nest.splitWithTail(nest.getLoopsFor(z)[0], 4096);
  nest.parallel(split.outer);
  nest.vectorize(split.inner);
  nest.prepareForCodegen();
  const CppCodeGen compiled(nest.root_stmt(), {x, y, z.buf});
  const at::Tensor a = at::randn({n}), b = at::randn({n}), result = at::empty({n});
  const double fused = median_ms([&] { compiled.call({a, b, result}); });
  at::Tensor expected;
  const double aten = median_ms([&] { expected = at::relu(a * b + a) - b * 0.5; });
  TORCH_CHECK(at::allclose(result, expected, 1e-4, 1e-5), "the fused chain differs from ATen's");
  std::printf(
      "\nrelu(xy + x) - y/2 of 16777216 floats: %.2f ms fused, %.2f ms by ATen's calls\n", fused,
      aten);
}

} // namespace

int main() {
  try {
    expressions();
    element_wise();
    reduction();
    fusion();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tutorial_tensorexpr: %s\n", error.what());
    return 1;
  }
  std::puts("tutorial_tensorexpr: ok");
}
