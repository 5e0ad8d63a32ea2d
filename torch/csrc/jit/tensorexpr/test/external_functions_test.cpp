// Tensors that external functions compute, among loops, by both back ends.

#include <torch/csrc/jit/tensorexpr/codegen.h>
#include <torch/csrc/jit/tensorexpr/external_functions.h>
#include <torch/csrc/jit/tensorexpr/ir_verifier.h>
#include <torch/csrc/jit/tensorexpr/loopnest.h>
#include <torch/csrc/jit/tensorexpr/test/expect_error.h>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace torch::jit::tensorexpr {
namespace {

// Computes `tensors` by both back ends, and compares the last of them.
void expect_both(
    const std::vector<Tensor>& tensors, std::vector<BufHandle> bufs, std::vector<at::Tensor> inputs,
    const at::Tensor& expected) {
  LoopNest nest({tensors.back()}, tensors);
  nest.prepareForCodegen();
  bufs.push_back(tensors.back().buf);
  const at::Tensor evaluated = at::zeros_like(expected), compiled = at::zeros_like(expected);
  inputs.push_back(evaluated);
  SimpleIREvaluator(nest.root_stmt(), bufs).call(inputs);
  inputs.back() = compiled;
  CppCodeGen(nest.root_stmt(), bufs).call(inputs);
  EXPECT_TRUE(at::allclose(evaluated, expected, 1e-5, 1e-6));
  EXPECT_TRUE(at::equal(compiled, evaluated));
}

TEST(ExternalFunctions, RunBetweenLoops) {
  const BufHandle x("x", {3, 4}, at::kFloat), y("y", {4, 5}, at::kFloat);
  const Tensor doubled = Compute("doubled", {3, 4}, [&](const auto& i) {
    return x.load({i[0], i[1]}) * 2.f;
  });
  const Tensor product =
      ExternalCall("product", {3, 5}, at::kFloat, "nnc_aten_mm", {doubled.buf, y});
  const Tensor result = Compute("result", {3, 5}, [&](const auto& i) {
    return product.load({i[0], i[1]}) + 1.f;
  });
  const at::Tensor a = at::randn({3, 4}), b = at::randn({4, 5});
  expect_both({doubled, product, result}, {x, y}, {a, b}, at::mm(a * 2, b) + 1);
}

TEST(ExternalFunctions, TakeArgumentsOfEachKind) {
  const BufHandle x("x", {2, 3}, at::kFloat), y("y", {2, 3}, at::kFloat);
  const at::Tensor a = at::randn({2, 3}), b = at::randn({2, 3});
  const auto call = [&](const char* function, const std::vector<BufHandle>& inputs,
                        const std::vector<c10::Scalar>& arguments, const at::Tensor& expected) {
    const std::vector<at::Tensor> values{a, b};
    const Tensor z = ExternalCall(
        "z", expected.sizes().vec(), expected.scalar_type(), function, inputs, arguments);
    expect_both(
        {z}, inputs, {values.begin(), values.begin() + static_cast<int64_t>(inputs.size())},
        expected);
  };
  call("nnc_aten_tril", {x}, {-1}, at::tril(a, -1));
  call("nnc_aten_add", {x, y}, {0.5}, at::add(a, b, 0.5));
  call("nnc_aten_add", {x, y}, {2}, at::add(a, b, 2));
  call("nnc_aten_gt_Scalar", {x}, {0}, at::gt(a, 0));
  call("nnc_aten__softmax", {x}, {1, false}, at::softmax(a, 1));
}

TEST(ExternalFunctions, TakeScalarsOfIntegerTensors) {
  const BufHandle x("x", {4}, at::kLong), y("y", {4}, at::kLong);
  const at::Tensor a = at::arange(4, at::kLong), b = at::arange(3, 7, at::kLong);
  const Tensor z = ExternalCall("z", {4}, at::kLong, "nnc_aten_add", {x, y}, {3});
  expect_both({z}, {x, y}, {a, b}, at::add(a, b, 3));
}

TEST(ExternalFunctions, TakeScalarsAndEmptyTensors) {
  const BufHandle x("x", {}, at::kDouble), y("y", {0, 3}, at::kDouble);
  const Tensor negative = ExternalCall("negative", {}, at::kDouble, "nnc_aten_neg", {x});
  expect_both({negative}, {x}, {at::full({}, 2.5, at::kDouble)}, at::full({}, -2.5, at::kDouble));
  const Tensor empty = ExternalCall("empty", {0, 3}, at::kDouble, "nnc_aten_neg", {y});
  const at::Tensor none = at::empty({0, 3}, at::kDouble);
  expect_both({empty}, {y}, {none}, none);
}

TEST(ExternalFunctions, AreRegisteredByName) {
  const RegisterNNCExternalFunction added(
      "twice",
      {[](int64_t, void** data, int64_t*, int64_t* dims, int64_t*, int8_t*, int64_t, int64_t*) {
         for (int64_t i = 0; i < dims[0]; ++i) {
           static_cast<float*>(data[0])[i] = 2 * static_cast<float*>(data[1])[i];
         }
       },
       1,
       {}});
  const BufHandle x("x", {4}, at::kFloat);
  const Tensor y = ExternalCall("y", {4}, at::kFloat, "twice", {x});
  const at::Tensor a = at::randn({4});
  expect_both({y}, {x}, {a}, a * 2);
  expect_error(
      "two external functions are called twice", [] { RegisterNNCExternalFunction("twice", {}); });
}

TEST(ExternalFunctions, RefuseOtherArguments) {
  const BufHandle x("x", {2, 3}, at::kFloat);
  const auto call = [&](const char* function, const std::vector<c10::Scalar>& arguments) {
    return [=] { ExternalCall("z", {2, 3}, at::kFloat, function, {x}, arguments); };
  };
  expect_error("no external function is called nnc_aten_trill", call("nnc_aten_trill", {}));
  expect_error("nnc_aten_mm takes 2 tensors and 0 further arguments", call("nnc_aten_mm", {}));
  expect_error("got 1 and 2", call("nnc_aten_tril", {1, 2}));
  expect_error("argument 0 is an integer, not 1.5", call("nnc_aten_tril", {1.5}));
  expect_error("argument 1 is a bool, not 1", call("nnc_aten__softmax", {1, 1}));
}

TEST(ExternalFunctions, RefuseOutputsOfOtherSizes) {
  const BufHandle x("x", {2, 3}, at::kFloat);
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{3, 2}, {8}, {1}}) {
    const Tensor z = ExternalCall("z", sizes, at::kFloat, "nnc_aten_neg", {x});
    const auto run = [&]<class Backend>() {
      Backend(z.stmt, {x, z.buf}).call({at::ones({2, 3}), at::ones(sizes)});
    };
    const std::string message = z.buf.node()->sizes[0] == 1
        ? "Trying to resize storage that is not resizable"
        : "nnc_aten_neg computes a tensor of sizes [2, 3]";
    expect_error(message, [&] { run.template operator()<SimpleIREvaluator>(); });
    expect_error(message, [&] { run.template operator()<CppCodeGen>(); });
  }
}

TEST(ExternalFunctions, HaveNoLoopsAndCannotBeInlined) {
  const BufHandle x("x", {4}, at::kFloat);
  const Tensor y = Compute("y", {4}, [&](const auto& i) { return x.load({i[0]}) * 2.f; });
  const Tensor z = ExternalCall("z", {4}, at::kFloat, "nnc_aten_neg", {y.buf});
  const Tensor w = Compute("w", {4}, [&](const auto& i) { return z.load({i[0]}) + 1.f; });
  LoopNest nest({w}, {y, z, w});
  EXPECT_TRUE(nest.getLoopsFor(z).empty());
  EXPECT_EQ(nest.getLoopsFor(w).size(), 1U);
  for (const Tensor& tensor : {y, z}) {
    expect_error("an external function computes or reads it", [&] { nest.computeInline(tensor); });
  }
}

TEST(ExternalFunctions, MakeLoopsAroundThemDependent) {
  const BufHandle x("x", {4}, at::kFloat);
  const Tensor y = ExternalCall("y", {4}, at::kFloat, "nnc_aten_neg", {x});
  const VarHandle i("i");
  LoopNest nest({{y.buf, make_stmt(For{i.var(), 0, 2, y.stmt})}});
  expect_error("not independent", [&] { nest.parallel(i); });
  expect_error("stores to its own input", [&] {
    verify(make_stmt(Call{x.node(), "nnc_aten_neg", {x.node()}, {}}));
  });
}

} // namespace
} // namespace torch::jit::tensorexpr
