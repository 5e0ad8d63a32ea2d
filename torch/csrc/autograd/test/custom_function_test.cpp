#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <ATen/ATen.h>

#include <gtest/gtest.h>

namespace torch::autograd {
namespace {

at::Tensor leaf(at::IntArrayRef shape, double value = 1) {
  return at::full(shape, value).set_requires_grad(true);
}

struct ScaledProduct : Function<ScaledProduct> {
  static Variable forward(
      AutogradContext* ctx, const Variable& x, double factor, const Variable& y) {
    ctx->saved_data["factor"] = factor;
    ctx->save_for_backward({x, y});
    return x * y * factor;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const double factor = ctx->saved_data["factor"].toDouble();
    Variable for_x = ctx->needs_input_grad(0) ? grads[0] * saved[1] * factor : Variable();
    Variable for_y = ctx->needs_input_grad(1) ? grads[0] * saved[0] * factor : Variable();
    return {for_x, Variable(), for_y};
  }
};

TEST(CustomFunction, HasItsOwnBackward) {
  const at::Tensor x = leaf({2}, 3);
  const at::Tensor y = leaf({2}, 5);
  const at::Tensor out = ScaledProduct::apply(x, 2., y);
  EXPECT_TRUE(at::equal(out, at::full({2}, 30.)));
  const variable_list first = grad({out.sum()}, {x, y}, {}, std::nullopt, /*create_graph=*/true);
  EXPECT_TRUE(at::equal(first[0], at::full({2}, 10.)));
  EXPECT_TRUE(at::equal(first[1], at::full({2}, 6.)));
  EXPECT_TRUE(at::equal(grad({first[0].sum()}, {y})[0], at::full({2}, 2.)));
  EXPECT_FALSE(ScaledProduct::apply(at::ones({2}), 2., at::ones({2})).requires_grad());
}

struct Increment : Function<Increment> {
  static variable_list forward(AutogradContext* ctx, const Variable& x, bool tell) {
    x.add_(1);
    if (tell) {
      ctx->mark_dirty({x});
    }
    return {x};
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0] * 10, Variable()};
  }
};

TEST(CustomFunction, MayChangeInputsInPlace) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 1;
  const at::Tensor z = Increment::apply(y, true)[0];
  EXPECT_TRUE(z.is_same(y));
  z.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 10.)));
  EXPECT_THROW(Increment::apply(x, true), c10::Error);
  // Without mark_dirty, the input is returned as a view of itself.
  const at::Tensor w = x * 1;
  EXPECT_FALSE(Increment::apply(w, false)[0].is_same(w));
}

struct TwoOutputs : Function<TwoOutputs> {
  static variable_list forward(AutogradContext* ctx, const Variable& x, bool materialize) {
    ctx->set_materialize_grads(materialize);
    const Variable sign = x.gt(0);
    const Variable floor = x.floor();
    ctx->mark_non_differentiable({floor});
    return {x * 2, x * 3, sign, floor};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    EXPECT_EQ(grads.size(), 4u);
    EXPECT_TRUE(grads[0].defined());
    EXPECT_EQ(grads[1].defined(), defined_);
    return {grads[0] * 2, Variable()};
  }
  static bool defined_;
};
bool TwoOutputs::defined_ = false;

TEST(CustomFunction, GradientsOfUnusedOutputsAreZeroOrUndefined) {
  for (const bool materialize : {false, true}) {
    TwoOutputs::defined_ = materialize;
    const at::Tensor x = leaf({2});
    const variable_list outputs = TwoOutputs::apply(x, materialize);
    EXPECT_TRUE(outputs[1].requires_grad());
    EXPECT_FALSE(outputs[2].requires_grad());
    EXPECT_FALSE(outputs[3].requires_grad());
    outputs[0].sum().backward();
    EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 2.)));
  }
}

} // namespace
} // namespace torch::autograd
