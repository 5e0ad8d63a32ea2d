// Both back ends: values of each operator and type, and calls that they refuse.

#include <torch/csrc/jit/tensorexpr/codegen.h>
#include <torch/csrc/jit/tensorexpr/ir_verifier.h>
#include <torch/csrc/jit/tensorexpr/loopnest.h>
#include <torch/csrc/jit/tensorexpr/test/expect_error.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace torch::jit::tensorexpr {
namespace {

using Formula = std::function<ExprHandle(const ExprHandle&, const ExprHandle&)>;

template <class Backend>
at::Tensor run(const at::Tensor& a, const at::Tensor& b, const Formula& formula) {
  const BufHandle x("x", {a.numel()}, a.scalar_type()), y("y", {b.numel()}, b.scalar_type());
  const Tensor z = Compute(
      "z", {a.numel()}, [&](const auto& i) { return formula(x.load({i[0]}), y.load({i[0]})); });
  LoopNest nest({z});
  nest.parallel(nest.getLoopsFor(z)[0]);
  nest.prepareForCodegen();
  at::Tensor out = at::empty({a.numel()}, z.buf.node()->dtype);
  Backend(nest.root_stmt(), {x, y, z.buf}).call({a, b, out});
  return out;
}

// The evaluator's and the compiled program's results have the same bits, and are ATen's.
void expect_both(
    const at::Tensor& a, const at::Tensor& b, const Formula& formula, const at::Tensor& expected) {
  const at::Tensor evaluated = run<SimpleIREvaluator>(a, b, formula);
  const at::Tensor compiled = run<CppCodeGen>(a, b, formula);
  EXPECT_TRUE(at::allclose(evaluated, expected, 1e-5, 1e-6, true));
  EXPECT_TRUE(at::allclose(compiled, evaluated, 0, 0, true));
  EXPECT_EQ(evaluated.scalar_type(), expected.scalar_type());
}

TEST(CodeGen, ComputesArithmeticOfEachType) {
  for (const auto dtype : {at::kInt, at::kLong, at::kFloat, at::kDouble}) {
    const at::Tensor a = at::arange(-6, 6, dtype), b = at::arange(1, 13, dtype);
    expect_both(
        a, b, [](const auto& x, const auto& y) { return (x + y) * x - y; }, (a + b) * a - b);
    expect_both(
        a, b, [](const auto& x, const auto& y) { return Max(x, Min(y, x * y)); },
        at::maximum(a, at::minimum(b, a * b)));
    expect_both(
        a, b, [](const auto& x, const auto& y) { return x < y; }, a < b);
  }
}

TEST(CodeGen, DividesIntegersTowardsZero) {
  const at::Tensor a = at::arange(-6, 6, at::kInt), b = at::full({12}, -4, at::kInt);
  expect_both(
      a, b, [](const auto& x, const auto& y) { return x / y; }, at::div(a, b, "trunc"));
  expect_both(
      a, b, [](const auto& x, const auto& y) { return x % y; }, at::fmod(a, b));
}

TEST(CodeGen, PromotesAndSelects) {
  const at::Tensor a = at::arange(4, at::kInt), b = at::arange(4, at::kFloat) - 1.5;
  expect_both(
      a, b, [](const auto& x, const auto& y) { return x * y; }, a * b);
  expect_both(
      a, b,
      [](const auto& x, const auto& y) {
        return ifThenElse(x >= 1 && y != 0.5f, cast(x, at::kDouble), cast(y, at::kDouble));
      },
      at::where((a >= 1).logical_and(b != 0.5), a.to(at::kDouble), b.to(at::kDouble)));
}

TEST(CodeGen, CallsMathematicalFunctions) {
  const at::Tensor a = at::rand({9}) + 0.25, b = at::rand({9});
  expect_both(
      a, b, [](const auto& x, const auto& y) { return exp(x) + log(x) * sqrt(y) - tanh(y); },
      at::exp(a) + at::log(a) * at::sqrt(b) - at::tanh(b));
  expect_both(
      a, b, [](const auto& x, const auto& y) { return sin(x) * cos(y) + floor(x) + ceil(abs(y)); },
      at::sin(a) * at::cos(b) + at::floor(a) + at::ceil(at::abs(b)));
}

TEST(CodeGen, MaximaOfNaNAreNaN) {
  const at::Tensor a = at::full({2}, NAN), b = at::ones({2});
  expect_both(
      a, b, [](const auto& x, const auto& y) { return Max(x, y); }, at::maximum(a, b));
  expect_both(
      b, a, [](const auto& x, const auto& y) { return Min(x, y); }, at::minimum(b, a));
}

TEST(CodeGen, ReducesWithEachReducer) {
  const at::Tensor in = at::randn({4, 6});
  const auto check = [&](const Reducer& reducer, const at::Tensor& expected) {
    const BufHandle x("x", {4, 6}, at::kFloat);
    const Tensor y = Reduce(
        "y", {4}, reducer,
        [&](const auto& i) {
          return x.load({i[0], i[1]});
        },
        {6});
    LoopNest nest({y});
    nest.prepareForCodegen();
    at::Tensor out = at::empty({4});
    CppCodeGen(nest.root_stmt(), {x, y.buf}).call({in, out});
    EXPECT_TRUE(at::allclose(out, expected));
  };
  check(Reducer::Sum(), in.sum(1));
  check(Reducer::Product(), in.prod(1));
  check(Reducer::Maximum(), in.amax({1}));
  check(Reducer::Minimum(), in.amin({1}));
}

TEST(CodeGen, RefusesDivisionOfIntegersByZero) {
  const at::Tensor one = at::ones({3}, at::kLong), zero = at::zeros({3}, at::kLong);
  const Formula quotient = [](const auto& x, const auto& y) { return x / y; };
  expect_error("division by zero", [&] { run<SimpleIREvaluator>(one, zero, quotient); });
  expect_error("division by zero", [&] { run<CppCodeGen>(one, zero, quotient); });
}

TEST(CodeGen, RefusesOtherTensorsThanItsBuffers) {
  const BufHandle x("x", {4}, at::kFloat);
  const Tensor y = Compute("y", {4}, [&](const auto& i) { return x.load({i[0]}) + 1.f; });
  const SimpleIREvaluator program(y.stmt, {x, y.buf});
  const at::Tensor a = at::ones({4});
  expect_error("expected 2 tensors, got 1", [&] { program.call({a}); });
  expect_error("expected sizes", [&] { program.call({at::ones({5}), a}); });
  expect_error("expected a tensor of type", [&] { program.call({at::ones({4}, at::kInt), a}); });
  expect_error("contiguous", [&] { program.call({at::ones({8}).slice(0, 0, 8, 2), a}); });
  expect_error("contiguous", [&] { program.call({at::Tensor(), a}); });
  expect_error("share memory", [&] { program.call({a, a}); });
  expect_error("neither an argument", [&] { SimpleIREvaluator(y.stmt, {x}); });
  expect_error("passed twice", [&] { SimpleIREvaluator(y.stmt, {x, x, y.buf}); });
}

TEST(CodeGen, EvaluatorRefusesIndicesOutOfRange) {
  const BufHandle x("x", {4}, at::kFloat);
  const Tensor y = Compute("y", {4}, [&](const auto& i) { return x.load({i[0] + 1}); });
  const SimpleIREvaluator program(y.stmt, {x, y.buf});
  expect_error("index 4 is out of range", [&] { program.call({at::ones({4}), at::ones({4})}); });
}

TEST(CodeGen, SaysThatThereIsNoCompiler) {
  const char* const old = std::getenv("CXX");
  const std::string saved = old != nullptr ? old : "";
  ::setenv("CXX", "/no/such/compiler", 1);
  const Tensor y = Compute("y", {3}, [](const auto& i) { return i[0] * 12345; });
  expect_error("this compiler does not exist", [&] { CppCodeGen(y.stmt, {y.buf}); });
  old != nullptr ? ::setenv("CXX", saved.c_str(), 1) : ::unsetenv("CXX");
}

TEST(Expressions, RefuseWrongTypesAndRanks) {
  const BufHandle x("x", {4, 2}, at::kFloat);
  const ExprHandle element = x.load({0, 1});
  expect_error("2 dimensions, but 1 indices", [&] { x.load({0}); });
  expect_error("an index is an integer", [&] { x.load({1.5, 0}); });
  expect_error("a condition is of type bool", [&] { ifThenElse(element, 1, 2); });
  expect_error("&& and || take values of type bool", [&] { (void)(element && true); });
  expect_error("arithmetic takes numbers", [&] { (void)(ExprHandle(true) + true); });
  expect_error("% takes integers", [&] { (void)(element % 2); });
  expect_error("take float or double", [&] { exp(ExprHandle(1)); });
  expect_error("negative size", [] { BufHandle("b", {-1}, at::kFloat); });
  expect_error("not Half", [] { BufHandle("b", {1}, at::kHalf); });
}

TEST(Verifier, RefusesUnboundAndRepeatedVariables) {
  const Tensor y = Compute("y", {3}, [](const auto& i) { return i[0]; });
  verify(y.stmt);
  expect_error("two loops have the variable", [&] { verify(make_block({y.stmt, y.stmt})); });
  const VarHandle free("free");
  const Tensor z = Compute("z", {3}, [&](const auto& i) { return i[0] + free; });
  expect_error("the variable free", [&] { verify(z.stmt); });
}

} // namespace
} // namespace torch::jit::tensorexpr
