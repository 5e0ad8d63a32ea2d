#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/TensorMeta.h>

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(TensorBase, AccessorsAndTypedPointersCheckTheType) {
  at::Tensor t = at::arange(6).reshape({2, 3}).t();
  auto values = t.accessor<int64_t, 2>();
  EXPECT_EQ(values[2][1], 5);
  EXPECT_EQ(values.size(0), 3);
  EXPECT_THROW((t.accessor<int64_t, 1>()), c10::Error);
  EXPECT_THROW(t.data_ptr<float>(), c10::Error);
  EXPECT_THROW(t.size(2), c10::IndexError);
}

TEST(TensorBase, BorrowingDoesNotCount) {
  const at::Tensor t = at::ones({2});
  {
    const auto borrowed = c10::MaybeOwned<at::Tensor>::borrowed(t);
    EXPECT_TRUE(borrowed->is_same(t));
    EXPECT_EQ(t.use_count(), 1u);
    auto copy = borrowed;
    EXPECT_EQ(t.use_count(), 1u);
    at::OptionalTensorRef reference(t);
    at::OptionalTensorRef other = reference;
    EXPECT_TRUE(other->is_same(t));
    EXPECT_EQ(t.use_count(), 1u);
  }
  EXPECT_EQ(t.use_count(), 1u);
  auto owned = c10::MaybeOwned<at::Tensor>::owned(at::Tensor(t));
  EXPECT_EQ(t.use_count(), 2u);
}

TEST(TensorBase, ExpectContiguousBorrowsOrCopies) {
  const at::Tensor t = at::ones({2, 3});
  EXPECT_TRUE(t.expect_contiguous()->is_same(t));
  const at::Tensor turned = t.t();
  EXPECT_TRUE(turned.expect_contiguous()->is_contiguous());
}

TEST(EmptyTensor, RefusesWhatItCannotMake) {
  using at::detail::empty_cpu;
  EXPECT_THROW(empty_cpu({-1}, at::kFloat), c10::Error);
  EXPECT_THROW(empty_cpu({2, 2}, at::kFloat, at::MemoryFormat::ChannelsLast), c10::Error);
  EXPECT_THROW(at::detail::empty_strided_cpu({2}, {-1}, at::kFloat), c10::Error);
  EXPECT_EQ(empty_cpu({2, 3, 4, 5}, at::kFloat, at::MemoryFormat::ChannelsLast).stride(1), 1);
  EXPECT_EQ(
      at::detail::empty_strided_cpu({3, 2}, {1, 4}, at::kInt).storage().nbytes(), 7 * sizeof(int));
}

TEST(EmptyTensor, MetaTensorsHaveLengthAndNoMemory) {
  const auto t = at::detail::empty_meta({1 << 20, 1 << 20}, at::kDouble);
  EXPECT_EQ(t.storage().nbytes(), size_t{8} << 40);
  EXPECT_EQ(t.data_ptr(), nullptr);
  EXPECT_TRUE(t.is_meta());
}

TEST(Generator, SeedsAndStatesReproduceStreams) {
  at::manual_seed(7);
  const at::Tensor first = at::rand({5});
  at::manual_seed(7);
  EXPECT_TRUE(at::equal(at::rand({5}), first));
  const at::Generator& generator = at::globalContext().defaultGenerator(at::kCPU);
  const auto state = generator.get_state();
  EXPECT_EQ(state.numel(), 5056);
  const at::Tensor second = at::randn({5});
  generator.set_state(state);
  EXPECT_TRUE(at::equal(at::randn({5}), second));
}

TEST(Context, GradModeAndInferenceModeAreScoped) {
  EXPECT_TRUE(at::GradMode::is_enabled());
  {
    at::NoGradGuard guard;
    EXPECT_FALSE(at::GradMode::is_enabled());
  }
  EXPECT_TRUE(at::GradMode::is_enabled());
}

} // namespace
