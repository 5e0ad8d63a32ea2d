// Tensors by examples: making them, arithmetic with broadcasting, views, indexing and reductions.

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(Tensors, ArithmeticBroadcastsAndPromotes) {
  const at::Tensor column = at::arange(3).reshape({3, 1}), row = at::arange(4, at::kFloat);
  const at::Tensor sum = column + row * 2;
  EXPECT_EQ(sum.sizes(), at::IntArrayRef({3, 4}));
  EXPECT_EQ(sum.scalar_type(), at::kFloat);
  EXPECT_EQ(sum[2][3].item<float>(), 8);
  EXPECT_EQ((1 - column).sum().item<int64_t>(), 0);
}

TEST(Tensors, ViewsShareMemory) {
  at::Tensor base = at::zeros({2, 3});
  at::Tensor view = base.t()[1];
  view.fill_(5);
  EXPECT_EQ(base.sum().item<float>(), 10);
  EXPECT_EQ(base[1][1].item<float>(), 5);
  base.add_(1);
  EXPECT_TRUE(at::equal(view, at::full({2}, 6.0)));
}

TEST(Tensors, ConversionsKeepValues) {
  const at::Tensor whole = at::arange(-2, 3);
  for (const at::ScalarType type : {at::kByte, at::kShort, at::kHalf, at::kDouble}) {
    const at::Tensor positive = whole.abs();
    EXPECT_TRUE(at::equal(positive.to(type).to(at::kLong), positive)) << type;
  }
  EXPECT_EQ(at::scalar_tensor(-1.9).to(at::kInt).item<int>(), -1);
}

TEST(Tensors, ProductsAgreeWithTheirDefinition) {
  at::manual_seed(0);
  const at::Tensor a = at::rand({4, 5}), b = at::rand({5, 3});
  const at::Tensor expected = (a.unsqueeze(2) * b.unsqueeze(0)).sum(1);
  EXPECT_TRUE(at::allclose(at::mm(a, b), expected));
}

TEST(Tensors, SeedsRepeatRandomNumbers) {
  at::manual_seed(3);
  const at::Tensor first = at::randn({8});
  const at::Tensor second = at::randn({8});
  at::manual_seed(3);
  EXPECT_TRUE(at::equal(first, at::randn({8})));
  EXPECT_FALSE(at::equal(first, second));
}

TEST(Tensors, ErrorsNameTheSizes) {
  try {
    at::mm(at::ones({2, 3}), at::ones({2, 3}));
    FAIL();
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("2x3 and 2x3"), std::string::npos) << error.what();
  }
}

} // namespace
