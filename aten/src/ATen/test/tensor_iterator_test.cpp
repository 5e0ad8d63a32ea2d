#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>

#include <gtest/gtest.h>

#include <atomic>

namespace {

using at::TensorIterator;
using at::TensorIteratorConfig;

TEST(TensorIterator, CollapsesContiguousOperandsToOneDimension) {
  const auto a = at::ones({4, 5, 6});
  at::Tensor out;
  const auto iter = TensorIterator::binary_op(out, a, a);
  EXPECT_EQ(iter.ndim(), 1);
  EXPECT_EQ(iter.numel(), 120);
  EXPECT_TRUE(iter.is_contiguous());
}

TEST(TensorIterator, KeepsTheLayoutOfItsInputs) {
  const auto a = at::ones({4, 5}).t();
  at::Tensor out;
  const auto iter = TensorIterator::binary_op(out, a, a);
  EXPECT_EQ(iter.ndim(), 1);
  EXPECT_EQ(iter.output().strides(), a.strides());
}

TEST(TensorIterator, BroadcastsWithZeroStrides) {
  const auto a = at::ones({3, 1});
  const auto b = at::ones({1, 4});
  at::Tensor out;
  const auto iter = TensorIterator::binary_op(out, a, b);
  EXPECT_EQ(iter.ndim(), 2);
  EXPECT_EQ(iter.output().sizes(), at::IntArrayRef({3, 4}));
  EXPECT_EQ(iter.strides(1)[0], 0);
  EXPECT_EQ(iter.strides(2)[1], 0);
}

TEST(TensorIterator, NumbersTakePartWithoutATensor) {
  const auto a = at::ones({5}, at::kFloat);
  TensorIterator iter;
  iter.build_binary_op(at::TensorBase(), a, at::Scalar(2.5));
  EXPECT_EQ(iter.common_dtype(), at::kFloat);
  EXPECT_FALSE(iter.tensor_base(2).defined());
  EXPECT_EQ(iter.scalar_value<float>(2), 2.5f);
}

TEST(TensorIterator, ValuesFollowACopyOfTheIterator) {
  const auto a = at::ones({5}, at::kFloat);
  TensorIterator copy;
  {
    TensorIterator iter;
    iter.build_binary_op(at::TensorBase(), a, at::Scalar(2.5));
    copy = iter;
  }
  EXPECT_EQ(copy.scalar_value<float>(2), 2.5f);
}

TEST(TensorIterator, PromotesThroughTemporaries) {
  const auto a = at::ones({2, 3}, at::kInt);
  const auto b = at::ones({2, 3}, at::kDouble);
  at::Tensor out;
  const auto iter = TensorIterator::binary_op(out, a, b);
  EXPECT_EQ(iter.common_dtype(), at::kDouble);
  EXPECT_EQ(iter.dtype(1), at::kDouble);
  EXPECT_EQ(iter.output().scalar_type(), at::kDouble);
}

TEST(TensorIterator, RefusesOutputsThatOverlap) {
  auto a = at::ones({1}).expand({3});
  EXPECT_THROW(a.add_(1), c10::Error);
  auto b = at::ones({5});
  auto tail = b.slice(0, 1, 5);
  EXPECT_THROW(tail.add_(b.slice(0, 0, 4)), c10::Error);
}

TEST(TensorIterator, VisitsEveryElementOnceInParallel) {
  const auto a = at::zeros({300, 401}).t();
  auto iter = TensorIteratorConfig().add_const_input(a).build();
  std::atomic<int64_t> visited{0};
  iter.for_each([&](char**, const int64_t*, int64_t n) { visited += n; }, 1000);
  EXPECT_EQ(visited.load(), 300 * 401);
}

TEST(TensorIterator, TransposedInputsGiveTheSameSums) {
  const auto a = at::arange(67 * 131, at::kFloat).reshape({67, 131});
  const auto b = at::arange(67 * 131, at::kFloat).reshape({131, 67}).t();
  EXPECT_TRUE(at::equal(a + b, a + b.contiguous()));
}

TEST(MemoryOverlap, TellsFullFromPartial) {
  const auto a = at::ones({6});
  EXPECT_EQ(at::get_overlap_status(a, a.view({6})), at::MemOverlapStatus::Full);
  EXPECT_EQ(
      at::get_overlap_status(a.slice(0, 0, 4), a.slice(0, 2, 6)), at::MemOverlapStatus::Partial);
  EXPECT_EQ(at::get_overlap_status(a.slice(0, 0, 3), a.slice(0, 3, 6)), at::MemOverlapStatus::No);
}

} // namespace
