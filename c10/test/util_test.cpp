#include <c10/core/Device.h>
#include <c10/core/WrapDimMinimal.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Float8.h>
#include <c10/util/Half.h>
#include <c10/util/OptionalArrayRef.h>
#include <c10/util/ProcessWarnings.h>
#include <c10/util/complex_math.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <thread>

namespace c10 {
namespace {

TEST(Exception, MessagesJoinPieces) {
  try {
    TORCH_CHECK_INDEX(
        false, "at ", 3, " of ", IntArrayRef({1, 2}), ", ", 2.5, ' ', std::string("end"));
    FAIL();
  } catch (const IndexError& e) {
    EXPECT_STREQ(e.what_without_backtrace(), "at 3 of [1, 2], 2.5 end");
  }
  EXPECT_THROW(TORCH_CHECK_VALUE(false, "v"), ValueError);
  EXPECT_THROW(TORCH_CHECK_TYPE(false, "v"), TypeError);
  EXPECT_THROW(TORCH_CHECK_NOT_IMPLEMENTED(false), NotImplementedError);
  EXPECT_NO_THROW(TORCH_CHECK(true, "unused"));
}

TEST(Exception, ChecksEvaluateOperandsOnlyOnFailure) {
  int evaluated = 0;
  auto operand = [&] { return ++evaluated; };
  TORCH_CHECK(true, operand());
  EXPECT_EQ(evaluated, 0);
}

TEST(Exception, WarningsReachTheHandler) {
  struct Recorder : WarningHandler {
    void process(const Warning& w) override { last = w.msg(); }
    std::string last;
  } recorder;
  WarningUtils::WarningHandlerGuard guard(&recorder);
  TORCH_WARN("careful: ", 1);
  EXPECT_EQ(recorder.last, "careful: 1");
}

TEST(Exception, AThreadWithoutAHandlerUsesTheProcess) {
  struct Recorder : WarningHandler {
    void process(const Warning& w) override { last = w.msg(); }
    std::string last;
  } of_process, of_thread;
  WarningUtils::set_process_warning_handler(&of_process);
  std::thread([] { TORCH_WARN("from a thread"); }).join();
  std::thread([&] {
    WarningUtils::WarningHandlerGuard guard(&of_thread);
    TORCH_WARN("to its own");
  }).join();
  WarningUtils::set_process_warning_handler(nullptr);
  EXPECT_EQ(of_process.last, "from a thread");
  EXPECT_EQ(of_thread.last, "to its own");
}

TEST(Half, EveryValueRoundTrips) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half(static_cast<uint16_t>(bits), Half::from_bits());
    const float value = half;
    if (value == value) {
      EXPECT_EQ(Half(value).x, half.x) << bits;
    } else {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(value))));
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(Half(1.0f + 0x1p-11f).x, Half(1.0f).x);
  EXPECT_EQ(Half(1.0f + 3 * 0x1p-11f).x, Half(1.0f + 0x1p-9f).x);
  EXPECT_EQ(static_cast<float>(Half(65519.0f)), 65504.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(Half(65520.0f))));
  EXPECT_EQ(Half(0x1p-25f).x, 0);
  EXPECT_EQ(Half(0x1.8p-25f).x, 1);
  EXPECT_EQ(Half(-0.0f).x, 0x8000);
}

template <typename T>
void expect_round_trips() {
  for (uint32_t bits = 0; bits < 0x100; ++bits) {
    const T number(static_cast<uint8_t>(bits), T::from_bits());
    if (number.isnan()) {
      EXPECT_TRUE(T(static_cast<float>(number)).isnan()) << bits;
    } else {
      EXPECT_EQ(T(static_cast<float>(number)).x, number.x) << bits;
    }
  }
}

TEST(Float8, EveryValueRoundTrips) {
  expect_round_trips<Float8_e4m3fn>();
  expect_round_trips<Float8_e5m2>();
  expect_round_trips<Float8_e4m3fnuz>();
  expect_round_trips<Float8_e5m2fnuz>();
  expect_round_trips<Float8_e8m0fnu>();
}

TEST(Float8, RoundsToNearestEvenAndHandlesNumbersBeyondTheLargest) {
  EXPECT_EQ(Float8_e4m3fn(1.0f + 0x1p-4f).x, Float8_e4m3fn(1.0f).x);
  EXPECT_EQ(Float8_e4m3fn(1.0f + 3 * 0x1p-4f).x, Float8_e4m3fn(1.25f).x);
  EXPECT_EQ(static_cast<float>(Float8_e4m3fn(1e6f)), 448.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(Float8_e5m2(1e6f))));
  EXPECT_TRUE(Float8_e4m3fnuz(1e6f).isnan());
  EXPECT_EQ(Float8_e4m3fnuz(-0.0f).x, 0);
  EXPECT_EQ(static_cast<float>(Float8_e8m0fnu(3.0f)), 4.0f);
  EXPECT_EQ(static_cast<float>(Float8_e8m0fnu(-2.0f)), 2.0f);
}

TEST(BFloat16, RoundsToNearestEvenAndKeepsNaN) {
  EXPECT_EQ(BFloat16(1.0f + 0x1p-8f).x, BFloat16(1.0f).x);
  EXPECT_EQ(BFloat16(1.0f + 3 * 0x1p-8f).x, BFloat16(1.0f + 0x1p-6f).x);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isinf(static_cast<float>(BFloat16(3.4e38f))));
}

TEST(Complex, DivisionNeitherOverflowsNorVanishes) {
  const complex<float> big(1e30f, 1e30f);
  EXPECT_NEAR((big / big).real(), 1.0f, 1e-6f);
  const complex<float> tiny(1e-30f, 1e-30f);
  EXPECT_NEAR((tiny / tiny).real(), 1.0f, 1e-6f);
  EXPECT_NEAR(std::log1p(complex<double>(1e-20, 0)).real(), 1e-20, 1e-30);
  EXPECT_NEAR(std::abs(std::exp(complex<double>(0, M_PI)) + 1.0), 0, 1e-15);
}

TEST(ArrayRef, OptionalListsAcceptWhatListsDo) {
  auto count = [](OptionalIntArrayRef list) { return list.has_value() ? int(list->size()) : -1; };
  EXPECT_EQ(count({1, 2, 3}), 3);
  EXPECT_EQ(count(7), 1);
  EXPECT_EQ(count(std::nullopt), -1);
  EXPECT_EQ(count(std::vector<int64_t>{1}), 1);
  EXPECT_THROW(IntArrayRef({1, 2}).at(2), Error);
}

TEST(Device, Parses) {
  EXPECT_EQ(Device("cuda:1"), Device(DeviceType::CUDA, 1));
  EXPECT_EQ(Device("cpu").str(), "cpu");
  for (const char* bad : {"", "gpu", "cuda:", "cuda:x", "cuda:01", "cuda:-1", "cuda:1 "}) {
    EXPECT_THROW(Device{std::string(bad)}, Error) << bad;
  }
}

TEST(WrapDim, WrapsAndReports) {
  EXPECT_EQ(maybe_wrap_dim(-1, 3), 2);
  EXPECT_EQ(maybe_wrap_dim(-1, 0), 0);
  EXPECT_THROW(maybe_wrap_dim(3, 3), IndexError);
  EXPECT_THROW(maybe_wrap_dim(0, 0, false), IndexError);
}

} // namespace
} // namespace c10
