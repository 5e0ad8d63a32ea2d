#include <ATen/cuda/CUDADnn.h>

#include <ATen/Context.h>
#include <ATen/cuda/CudnnConvolution.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

namespace at::cuda::dnn {
namespace {

std::atomic<int> measured_algorithms{10}; // as in PyTorch

// An algorithm, and what it needs.
struct Choice {
  int algorithm;
  cudnnMathType_t math;
  size_t workspace;
};
using Choices = std::vector<Choice>; // the best comes first

bool must_be_deterministic() {
  const Context& context = globalContext();
  return context.deterministicCuDNN() || context.deterministicAlgorithms();
}

// CUDNN_CONV_WSCAP_DBG limits workspaces, in MiB.
size_t workspace_limit() {
  const char* text = std::getenv("CUDNN_CONV_WSCAP_DBG");
  return text == nullptr ? std::numeric_limits<size_t>::max()
                         : std::strtoull(text, nullptr, 10) << 20;
}

bool is_capturing() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(c10::cuda::getCurrentCUDAStream(), &status));
  return status != cudaStreamCaptureStatusNone;
}

// False if the device has not that much memory.
bool allocate(size_t bytes, c10::DataPtr& memory) {
  try {
    memory = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
    return true;
  } catch (const c10::OutOfMemoryError&) {
    return false;
  }
}

// The workspace of the hungriest algorithm within the limit, or the largest half, quarter and so on
// of it that the device has.
template <typename Map>
size_t allocate_for_measuring(const Problem& problem, c10::DataPtr& memory) {
  size_t wanted = 0;
  for (int algorithm = 0; algorithm < Map::kAlgorithms; ++algorithm) {
    size_t bytes = 0;
    const auto status = Map::workspace(problem, typename Map::Algorithm(algorithm), &bytes);
    if (status == CUDNN_STATUS_SUCCESS && bytes <= workspace_limit()) {
      wanted = std::max(wanted, bytes);
    }
  }
  while (wanted > 0 && !allocate(wanted, memory))
    wanted /= 2;
  return wanted;
}

// Asks cuDNN for algorithms: by its rules of thumb, or by running them on the arrays, which
// overwrites the result.
template <typename Map>
Choices ask(const Problem& problem, const Arrays& arrays, bool measure) {
  typename Map::Answer answers[Map::kAlgorithms] = {};
  int count = 0;
  if (measure) {
    c10::DataPtr work;
    const size_t bytes = allocate_for_measuring<Map>(problem, work);
    const int limit = benchmark_limit();
    TORCH_CUDNN_CHECK(Map::measure(
        problem, arrays, limit == 0 ? Map::kAlgorithms : std::min(limit, int{Map::kAlgorithms}),
        &count, answers, {work.get(), bytes}));
  } else {
    TORCH_CUDNN_CHECK(Map::rank(problem, Map::kAlgorithms, &count, answers));
  }
  Choices choices;
  for (int i = 0; i < count; ++i) {
    const auto& answer = answers[i];
    if (answer.status != CUDNN_STATUS_SUCCESS || answer.memory > workspace_limit()) continue;
    if (problem.deterministic && answer.determinism != CUDNN_DETERMINISTIC) continue;
    choices.push_back({answer.algo, problem.math_for(answer.mathType), answer.memory});
  }
  return choices;
}

// cuDNN is asked once for each problem. While a graph is captured nothing can be measured, and an
// answer by rules of thumb is not kept then.
template <typename Map>
Choices choices_for(const Problem& problem, const Arrays& arrays) {
  static std::mutex mutex;
  static std::map<Problem::Key, Choices> known;
  const bool benchmark = globalContext().benchmarkCuDNN();
  Problem::Key key = problem.key;
  key.back() = benchmark;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  const bool capturing = is_capturing();
  Choices choices = ask<Map>(problem, arrays, benchmark && !capturing);
  if (benchmark && capturing) return choices;
  const std::lock_guard<std::mutex> lock(mutex);
  return known.emplace(key, std::move(choices)).first->second;
}

// Tries the algorithms in turn; false if none has enough memory and supports the problem.
template <typename Map>
bool run(
    c10::ScalarType dtype, const native::ConvShape& shape, const Arrays& arrays, const void* bias) {
  if (!globalContext().userEnabledCuDNN() || !has_32_bit_sizes(shape)) return false;
  const Problem problem(dtype, shape, must_be_deterministic());
  for (const Choice& choice : choices_for<Map>(problem, arrays)) {
    c10::DataPtr work;
    if (!allocate(choice.workspace, work)) continue;
    TORCH_CUDNN_CHECK(cudnnSetConvolutionMathType(problem.convolution, choice.math));
    const cudnnStatus_t status = Map::run(
        problem, arrays, typename Map::Algorithm(choice.algorithm), {work.get(), choice.workspace});
    if (status == CUDNN_STATUS_NOT_SUPPORTED) continue;
    TORCH_CUDNN_CHECK(status);
    if (bias != nullptr) Map::add_bias(problem, bias, arrays.result);
    return true;
  }
  return false;
}

} // namespace

long version() {
  return static_cast<long>(cudnnGetVersion());
}

bool conv(
    c10::ScalarType dtype, const native::ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  return run<Forward>(dtype, shape, {input, weight, output}, bias);
}

bool conv_adjoint(
    c10::ScalarType dtype, const native::ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input) {
  return run<Adjoint>(dtype, shape, {weight, output, input}, bias);
}

bool conv_weight(
    c10::ScalarType dtype, const native::ConvShape& shape, const void* input, const void* output,
    void* weight) {
  return run<WeightGradient>(dtype, shape, {input, output, weight}, nullptr);
}

int benchmark_limit() {
  return measured_algorithms;
}

void set_benchmark_limit(int limit) {
  measured_algorithms = limit;
}

} // namespace at::cuda::dnn
