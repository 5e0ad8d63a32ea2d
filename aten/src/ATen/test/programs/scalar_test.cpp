// at::Scalar: its kinds, conversions, and calls that take one.

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <limits>

namespace {

using at::Scalar;

TEST(ScalarValues, KnowTheirKind) {
  EXPECT_TRUE(Scalar(1).isIntegral(/*includeBool=*/false));
  EXPECT_TRUE(Scalar(true).isBoolean());
  EXPECT_FALSE(Scalar(true).isIntegral(/*includeBool=*/false));
  EXPECT_TRUE(Scalar(0.5).isFloatingPoint());
  EXPECT_TRUE(Scalar(c10::complex<double>(0, 1)).isComplex());
}

TEST(ScalarValues, ConvertWithoutOverflow) {
  EXPECT_EQ(Scalar(3).to<double>(), 3.0);
  EXPECT_EQ(Scalar(2.5).to<float>(), 2.5f);
  EXPECT_THROW(Scalar(300).to<uint8_t>(), c10::Error);
  EXPECT_THROW(Scalar(1e300).to<float>(), c10::Error);
  EXPECT_EQ(Scalar(std::numeric_limits<double>::infinity()).to<float>(), INFINITY);
}

TEST(ScalarValues, AreOperandsOfTensors) {
  const at::Tensor whole = at::ones({2}, at::kInt);
  EXPECT_EQ((whole + Scalar(2)).scalar_type(), at::kInt);
  EXPECT_EQ((whole + Scalar(2.5)).scalar_type(), at::kFloat);
  EXPECT_EQ((whole * Scalar(c10::complex<double>(0, 1))).scalar_type(), at::kComplexFloat);
  EXPECT_EQ(at::add(whole, whole, Scalar(3))[0].item<int>(), 4);
}

TEST(ScalarValues, ComeFromTensorsOfOneElement) {
  EXPECT_EQ(at::full({1, 1}, 7, at::kShort).item().to<int64_t>(), 7);
  EXPECT_EQ(at::scalar_tensor(2.5).item().to<double>(), 2.5);
  EXPECT_EQ(at::scalar_tensor(2.5).dim(), 0);
  EXPECT_THROW(at::ones({2}).item(), c10::Error);
}

} // namespace
