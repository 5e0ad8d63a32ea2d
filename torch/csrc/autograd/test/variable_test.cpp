#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/variable.h>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <gtest/gtest.h>

#include <string>

namespace torch::autograd {
namespace {

at::Tensor leaf(at::IntArrayRef shape, double value = 1) {
  return at::full(shape, value).set_requires_grad(true);
}
bool has_autograd_key(const at::Tensor& x) {
  return x.key_set().has(c10::DispatchKey::AutogradCPU);
}
template <typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const c10::Error& error) {
    return error.msg();
  }
  return "";
}

// ---- keys

TEST(Keys, AutogradOfTensorsInAGraphAndOfViews) {
  at::Tensor x = at::ones({2});
  EXPECT_FALSE(has_autograd_key(x));
  x.set_requires_grad(true);
  EXPECT_TRUE(has_autograd_key(x));
  EXPECT_TRUE(has_autograd_key(x * 2));
  EXPECT_FALSE(has_autograd_key(x.detach()));
  EXPECT_FALSE(has_autograd_key(x.data()));
  {
    const c10::NoGradGuard no_grad;
    EXPECT_FALSE(has_autograd_key(x * 2));
  }
  x.set_requires_grad(false);
  EXPECT_FALSE(has_autograd_key(x));
  EXPECT_TRUE(has_autograd_key(at::ones({2, 2}).select(0, 0)));
  EXPECT_THROW(at::ones({2}, at::kLong).set_requires_grad(true), c10::Error);
  EXPECT_THROW((leaf({2}) * 2).requires_grad_(false), c10::Error);
}

TEST(Keys, NoneForInferenceTensors) {
  at::Tensor x;
  {
    const c10::InferenceMode inference;
    x = at::ones({2});
    EXPECT_FALSE(x.view({1, 2}).is_view());
    x.add_(1);
  }
  EXPECT_TRUE(x.is_inference());
  EXPECT_NE(message_of([&] { x.add_(1); }).find("Inplace update to inference tensor"), ~size_t{0});
  EXPECT_NE(message_of([&] { x._version(); }).find("do not track version"), ~size_t{0});
  EXPECT_NE(
      message_of([&] { x* leaf({2}); }).find("Inference tensors cannot be saved for backward"),
      ~size_t{0});
  EXPECT_THROW(x.set_requires_grad(true), c10::Error);
}

// ---- versions

TEST(Versions, AreCountedAndShared) {
  const at::Tensor x = at::ones({4});
  EXPECT_EQ(x._version(), 0);
  x.add_(1);
  const at::Tensor view = x.view({2, 2});
  const at::Tensor detached = x.detach();
  const at::Tensor data = x.data();
  view.mul_(2);
  EXPECT_EQ(x._version(), 2);
  EXPECT_EQ(detached._version(), 2);
  EXPECT_EQ(data._version(), 0);
  detached.zero_();
  EXPECT_EQ(view._version(), 3);
}

TEST(Versions, OfSavedTensorsAreChecked) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 2;
  const at::Tensor z = y * y;
  y.add_(x);
  EXPECT_EQ(
      message_of([&] { z.sum().backward(); }),
      "one of the variables needed for gradient computation has been modified by an inplace "
      "operation: [torch.FloatTensor [2]], which is output 0 of Add, is at version 1; "
      "expected version 0 instead. Hint: enable anomaly detection to find the operation that "
      "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
      "check_nan=False).");
  const at::Tensor e = x.exp();
  e.add_(1);
  EXPECT_NE(message_of([&] { e.sum().backward(); }).find("modified by an inplace"), ~size_t{0});
}

// ---- in-place changes

TEST(InPlace, RebasesHistory) {
  const at::Tensor x = leaf({2}, 3);
  const at::Tensor y = x * 2;
  y.mul_(x);
  EXPECT_EQ(y.grad_fn()->name(), "MulBackward0");
  y.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 12.)));
}

TEST(InPlace, RefusesLeaves) {
  const at::Tensor x = leaf({2});
  EXPECT_EQ(
      message_of([&] { x.add_(1); }),
      "a leaf Variable that requires grad is being used in an in-place operation.");
  EXPECT_EQ(
      message_of([&] {
        x.view({2, 1}).add_(1);
      }),
      "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  const c10::NoGradGuard no_grad;
  x.add_(1);
}

TEST(InPlace, MovesRetainGradToTheNewHistory) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 2;
  y.retain_grad();
  y.mul_(3);
  (y * 5).sum().backward();
  EXPECT_TRUE(at::equal(y.grad(), at::full({2}, 5.)));
  EXPECT_TRUE(at::equal(x.grad(), at::full({2}, 30.)));
}

// ---- views

TEST(Views, KnowTheirBase) {
  const at::Tensor x = at::ones({2, 3});
  const at::Tensor view = x.t().select(0, 1);
  EXPECT_TRUE(view.is_view());
  EXPECT_TRUE(view._base().is_same(x));
  EXPECT_FALSE(x.is_view());
  EXPECT_THROW(x._base(), c10::Error);
}

TEST(Views, ChangesInPlaceReachTheBaseAndOtherViews) {
  const at::Tensor x = leaf({2, 2}, 3);
  const at::Tensor base = x * 2;
  const at::Tensor row = base.select(0, 0);
  const at::Tensor other = base.select(0, 0);
  row.mul_(10);
  EXPECT_EQ(base.grad_fn()->name(), "torch::autograd::CopySlices");
  EXPECT_EQ(other.grad_fn()->name(), "AsStridedBackward0");
  const at::Tensor expected = at::ones({2, 2}).mul_(2);
  expected.select(0, 0).mul_(10);
  EXPECT_TRUE(at::equal(grad({base.sum()}, {x}, {}, true)[0], expected));
  EXPECT_TRUE(at::equal(grad({other.sum()}, {x}, {}, true)[0].select(0, 0), expected.select(0, 0)));
}

TEST(Views, OfATensorWithoutGradientsMayBringThem) {
  const at::Tensor w = leaf({2}, 3);
  const at::Tensor base = at::zeros({4});
  const at::Tensor half = base.slice(0, 0, 2);
  const at::Tensor earlier = base.view({2, 2});
  half.copy_(w);
  EXPECT_TRUE(base.requires_grad());
  EXPECT_TRUE(earlier.requires_grad());
  (earlier * 2).sum().backward();
  EXPECT_TRUE(at::equal(w.grad(), at::full({2}, 2.)));
}

TEST(Views, ThatChangeTheDtypeAreRepeatedByTheirFunction) {
  const at::Tensor x = leaf({3, 2});
  const at::Tensor base = x * 1;
  const at::Tensor complex = at::view_as_complex(base);
  complex.mul_(2);
  EXPECT_EQ(base.grad_fn()->name(), "torch::autograd::CopySlices");
  base.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({3, 2}, 2.)));
}

TEST(Views, RefuseAmbiguousChanges) {
  const at::Tensor x = leaf({2, 2});
  const at::Tensor base = x * 1;
  at::Tensor view;
  {
    const c10::NoGradGuard no_grad;
    view = base.select(0, 0);
  }
  EXPECT_EQ(
      message_of([&] { view.mul_(2); })
          .find("A view was created in no_grad mode and is being modified inplace with grad mode "
                "enabled."),
      0u);
  const at::Tensor part = base.unbind(0)[1];
  EXPECT_EQ(
      message_of([&] { part.mul_(2); })
          .find("Output 1 of Unbind is a view and is being modified inplace. This view is "
                "the output of a function that returns multiple views."),
      0u);
}

TEST(Detach, LeavesTheGraph) {
  const at::Tensor x = leaf({2});
  at::Tensor y = x * 2;
  EXPECT_FALSE(y.detach().requires_grad());
  EXPECT_THROW(y.resize_({3}), c10::Error);
  y.detach_();
  EXPECT_TRUE(y.is_leaf());
  EXPECT_FALSE(y.requires_grad());
  EXPECT_THROW(x.view({2, 1}).detach_(), c10::Error);
}

TEST(SetData, KeepsTheLeafAndDropsAnOldAccumulator) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 2;
  x.set_data(at::full({2}, 7., at::kDouble));
  EXPECT_TRUE(x.requires_grad());
  EXPECT_EQ(x.scalar_type(), at::kDouble);
  (x * 3).sum().backward();
  EXPECT_EQ(x.grad().scalar_type(), at::kDouble);
  EXPECT_THROW(x.set_data(at::ones({2}, at::kLong)), c10::Error);
}

} // namespace
} // namespace torch::autograd
