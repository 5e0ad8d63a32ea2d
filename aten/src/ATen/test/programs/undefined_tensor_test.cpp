// Undefined tensors: what they answer, and calls that refuse them.

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <utility>

namespace {

TEST(UndefinedTensors, AreFalseAndEqualToEachOther) {
  const at::Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_TRUE(none.is_same(at::Tensor()));
  EXPECT_EQ(none.unsafeGetTensorImpl(), at::Tensor().unsafeGetTensorImpl());
  EXPECT_FALSE(none.is_same(at::ones({1})));
}

TEST(UndefinedTensors, AreRefusedByOperators) {
  const at::Tensor none, one = at::ones({1});
  EXPECT_ANY_THROW(none + one);
  EXPECT_ANY_THROW(one + none);
  EXPECT_ANY_THROW(at::add(none, 5));
  EXPECT_ANY_THROW(at::mm(none, one));
  EXPECT_ANY_THROW(one.to(none.options().dtype(at::kInt)).copy_(none));
}

TEST(UndefinedTensors, RemainAfterAMoveAndAReset) {
  at::Tensor first = at::ones({2});
  const at::Tensor second = std::move(first);
  EXPECT_TRUE(second.defined());
  EXPECT_FALSE(first.defined()); // NOLINT(bugprone-use-after-move)
  at::Tensor third = second;
  third.reset();
  EXPECT_FALSE(third.defined());
  EXPECT_EQ(second.use_count(), 1u);
}

} // namespace
