// Streams, events and graphs of the emulated device.

#include <c10/cuda/test/emulation_fixture.h>

namespace c10::cuda::test {
namespace {

TEST_F(Emulation, NothingRunsUntilSomethingWaits) {
  void* pinned = nullptr;
  OK(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault));
  auto* value = static_cast<int*>(pinned);
  *value = 1;
  int* data = on_device(std::vector<int>{5});
  cudaStream_t stream = new_stream();
  OK(cudaMemcpyAsync(value, data, sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(*value, 1);
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(*value, 5);
}

TEST_F(Emulation, AQueryEndsWithSuccess) {
  cudaStream_t stream = new_stream();
  int* data = on_device(std::vector<int>{5});
  for (int i = 0; i < 5; ++i) {
    OK(launch_write(data, 0, i, stream));
  }
  int asked = 1;
  while (cudaStreamQuery(stream) == cudaErrorNotReady)
    ++asked;
  EXPECT_GT(asked, 5);
  EXPECT_EQ(on_host(data, 1)[0], 4);
}

// Two streams write one number; returns how often the second one won, over 20 seeds.
int second_stream_wins(bool with_event) {
  int wins = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Settings settings;
    settings.seed = seed;
    cuda_emulation::reset(settings);
    cudaStream_t first = nullptr, second = nullptr;
    cudaEvent_t event = nullptr;
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
    EXPECT_EQ(launch_write(static_cast<int*>(data), 0, 1, first), cudaSuccess);
    if (with_event) {
      EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(second, event), cudaSuccess);
    }
    EXPECT_EQ(launch_write(static_cast<int*>(data), 0, 2, second), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    int value = 0;
    EXPECT_EQ(cudaMemcpy(&value, data, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
    wins += value == 2;
  }
  return wins;
}

TEST_F(Emulation, SeedsFindAMissingEvent) {
  EXPECT_EQ(second_stream_wins(true), 20);
  const int wins = second_stream_wins(false);
  EXPECT_GT(wins, 2);
  EXPECT_LT(wins, 18);
  EXPECT_EQ(second_stream_wins(false), wins) << "a seed must repeat its schedule";
}

TEST_F(Emulation, TheDefaultStreamIsOrderedWithBlockingStreams) {
  int* data = on_device(std::vector<int>{0});
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreate(&stream));
  for (int i = 0; i < 50; ++i) {
    OK(launch_write(data, 0, 2 * i, stream));
    OK(launch_write(data, 0, 2 * i + 1, nullptr));
  }
  OK(cudaStreamSynchronize(nullptr));
  EXPECT_EQ(on_host(data, 1)[0], 99);
}

TEST_F(Emulation, AHostFunctionRunsInOrderAndMayCallTheRuntime) {
  int* data = on_device(std::vector<int>{0});
  cudaStream_t stream = new_stream();
  OK(launch_write(data, 0, 3, stream));
  int devices = 0;
  OK(cudaLaunchHostFunc(
      stream, [](void* to) { cudaGetDeviceCount(static_cast<int*>(to)); }, &devices));
  EXPECT_EQ(devices, 0);
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(devices, 2);
}

TEST_F(Emulation, EventsMeasureTime) {
  cudaEvent_t start = nullptr, end = nullptr;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&end));
  OK(cudaEventRecord(start));
  OK(cudaEventRecord(end));
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
  OK(cudaEventSynchronize(end));
  OK(cudaEventElapsedTime(&milliseconds, start, end));
  EXPECT_GE(milliseconds, 0);
}

// ---- graphs

TEST_F(Emulation, AGraphRepeatsWhatWasCaptured) {
  int* data = on_device(std::vector<int>{0, 0});
  int* sum = on_device(std::vector<int>{0});
  cudaStream_t stream = new_stream(), branch = new_stream();
  cudaEvent_t fork = nullptr, join = nullptr;
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(launch_write(data, 0, 10, stream));
  OK(cudaEventRecord(fork, stream));
  OK(cudaStreamWaitEvent(branch, fork));
  OK(launch_write(data, 1, 20, branch));
  OK(cudaEventRecord(join, branch));
  OK(cudaStreamWaitEvent(stream, join));
  OK(launch_warp_sum(2, data, sum, stream));
  cudaGraph_t graph = nullptr;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  OK(cudaGraphInstantiate(&executable, graph));
  EXPECT_EQ(on_host(sum, 1)[0], 0) << "capturing must not run anything";
  for (int i = 1; i <= 5; ++i) {
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT_EQ(on_host(sum, 1)[0], 30 * i);
  }
}

TEST_F(Emulation, ACaptureRefusesToWaitAndToEndUnjoined) {
  cudaStream_t stream = new_stream(), branch = new_stream();
  cudaGraph_t graph = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void* data = nullptr;
  EXPECT_EQ(cudaMalloc(&data, 16), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);

  int* target = on_device(std::vector<int>{0});
  cudaEvent_t fork = nullptr;
  OK(cudaEventCreate(&fork));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork, stream));
  OK(cudaStreamWaitEvent(branch, fork));
  OK(launch_write(target, 0, 1, branch));
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
}

} // namespace
} // namespace c10::cuda::test
