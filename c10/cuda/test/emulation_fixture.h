#pragma once

#include <c10/cuda/emulated/Emulation.h>
#include <c10/cuda/test/kernels.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace c10::cuda::test {

using cuda_emulation::Settings;

#define OK(...) ASSERT_EQ(__VA_ARGS__, cudaSuccess)

// Every test starts with a machine of its own.
class Emulation : public ::testing::Test {
 protected:
  void SetUp() override { cuda_emulation::reset(); }

  template <typename T>
  static T* on_device(const std::vector<T>& values) {
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, values.size() * sizeof(T)), cudaSuccess);
    EXPECT_EQ(
        cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        cudaSuccess);
    return static_cast<T*>(data);
  }
  template <typename T>
  static std::vector<T> on_host(const T* data, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(
        cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }
  static cudaStream_t new_stream() {
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
  }
  // What waiting for the device returns, and that the report has these words.
  static void expect_caught(cudaError_t error, const std::vector<std::string>& words) {
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    EXPECT_EQ(cudaDeviceSynchronize(), error) << "the error must stay";
    const std::string report = cuda_emulation::last_report();
    for (const std::string& word : words) {
      EXPECT_NE(report.find(word), std::string::npos) << "no '" << word << "' in: " << report;
    }
  }
};

} // namespace c10::cuda::test
