// Vectors of each element type, in the capability that this program is compiled for: every lane
// holds what the same expression on a number gives.

#include <ATen/cpu/vec/vec_memory.h>
#include <ATen/cpu/vec/vec_round.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace {

namespace vec = at::vec;

// Whether the processor has the instructions of this capability.
bool is_supported() {
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

template <typename T>
class AllTypes : public testing::Test {
 protected:
  using Lane = vec::lane_type<T>;
  static constexpr int kLanes = vec::kVectorBytes / sizeof(Lane);
  using Vector = vec::Lanes<Lane, kLanes>;

  void SetUp() override {
    if (!is_supported()) GTEST_SKIP() << "this processor lacks the capability";
    std::mt19937 random(7);
    for (int i = 0; i < kLanes; ++i) {
      left[i] = static_cast<T>(random() % 40 + 1);
      right[i] = static_cast<T>(random() % 3 + 1);
    }
  }
  Vector loaded(const std::array<T, kLanes>& values) const {
    return vec::load<T, kLanes>(values.data());
  }

  std::array<T, kLanes> left, right;
};

using Types = testing::Types<
    uint8_t, int8_t, int16_t, int32_t, int64_t, float, double, c10::Half, c10::BFloat16>;
TYPED_TEST_SUITE(AllTypes, Types);

TYPED_TEST(AllTypes, FillTheRegister) {
  EXPECT_EQ(sizeof(typename TestFixture::Vector), static_cast<size_t>(vec::kVectorBytes));
}

TYPED_TEST(AllTypes, LoadAndStoreAreInverse) {
  std::array<TypeParam, TestFixture::kLanes> stored{};
  vec::store<TypeParam, TestFixture::kLanes>(stored.data(), this->loaded(this->left));
  for (int i = 0; i < TestFixture::kLanes; ++i)
    EXPECT_EQ(stored[i], this->left[i]);
}

TYPED_TEST(AllTypes, ArithmeticIsThatOfNumbers) {
  using Lane = typename TestFixture::Lane;
  const auto x = this->loaded(this->left), y = this->loaded(this->right);
  const auto sum = x + y, difference = x - y, product = x * y, quotient = x / y;
  for (int i = 0; i < TestFixture::kLanes; ++i) {
    const Lane a = static_cast<Lane>(this->left[i]), b = static_cast<Lane>(this->right[i]);
    EXPECT_EQ(sum[i], static_cast<Lane>(a + b));
    EXPECT_EQ(difference[i], static_cast<Lane>(a - b));
    EXPECT_EQ(product[i], static_cast<Lane>(a * b));
    EXPECT_EQ(quotient[i], static_cast<Lane>(a / b));
  }
}

TYPED_TEST(AllTypes, ComparisonsChooseLanes) {
  const auto x = this->loaded(this->left), y = this->loaded(this->right);
  const auto greater = x > y ? x : y;
  const auto flags = vec::to_bool(x > y);
  for (int i = 0; i < TestFixture::kLanes; ++i) {
    EXPECT_EQ(greater[i], x[i] > y[i] ? x[i] : y[i]);
    EXPECT_EQ(flags[i], x[i] > y[i]);
  }
  EXPECT_FALSE(vec::any_lane(x != x));
}

TYPED_TEST(AllTypes, SplatFillsEveryLane) {
  using Lane = typename TestFixture::Lane;
  const auto filled = vec::splat<typename TestFixture::Vector>(Lane(3));
  for (int i = 0; i < TestFixture::kLanes; ++i)
    EXPECT_EQ(filled[i], Lane(3));
}

TEST(Rounding, ResolvesTiesToEven) {
  if (!is_supported()) GTEST_SKIP() << "this processor lacks the capability";
  constexpr int kLanes = vec::kVectorBytes / sizeof(double);
  vec::Lanes<double, kLanes> x{};
  for (int i = 0; i < kLanes; ++i)
    x[i] = i - 2.5;
  const auto rounded = vec::round(x);
  for (int i = 0; i < kLanes; ++i)
    EXPECT_EQ(rounded[i], std::nearbyint(x[i]));
}

} // namespace
