// The part of cuDNN that this project calls, for the emulated device: kernels of one thread that
// call the CPU's convolutions. So the work is queued in streams, and every access to memory is
// checked, the workspace's too. CudnnConvolutions.cpp has the functions for convolutions.

#include <ATen/cuda/emulated/Cudnn.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/macros/Export.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <type_traits>

namespace cudnn_emulation {
namespace {

// ---- what the kernels compute

// An array of the device in the CPU's type for convolutions. It lies in host memory, because the
// CPU may use several threads, and other threads than the kernel's have no access to the device's.
template <typename Wide, typename T>
std::vector<Wide> read(const void* data, int64_t count) {
  const T* from = static_cast<const T*>(data);
  return std::vector<Wide>(from, from + count);
}

template <typename T>
void convolve(Map map, const ConvShape& s, const void* first, const void* second, void* result) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  constexpr auto dtype =
      std::is_same_v<T, double> ? c10::ScalarType::Double : c10::ScalarType::Float;
  const int64_t in = s.batch * s.in_channels * volume(s.in);
  const int64_t out = s.batch * s.out_channels * volume(s.out);
  const int64_t weight = s.out_channels * (s.in_channels / s.groups) * volume(s.kernel);
  const auto a = read<Wide, T>(first, map == Map::Adjoint ? weight : in);
  const auto b = read<Wide, T>(second, map == Map::Forward ? weight : out);
  const int64_t count = map == Map::Forward ? out : map == Map::Adjoint ? in : weight;
  std::vector<Wide> sums(static_cast<size_t>(count));
  switch (map) {
    case Map::Forward:
      at::native::conv_stub.on_host(dtype, s, a.data(), b.data(), nullptr, sums.data());
      break;
    case Map::Adjoint:
      at::native::conv_adjoint_stub.on_host(dtype, s, b.data(), a.data(), nullptr, sums.data());
      break;
    case Map::Weight:
      at::native::conv_weight_stub.on_host(dtype, s, a.data(), b.data(), sums.data());
      break;
  }
  for (int64_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] = static_cast<T>(sums[static_cast<size_t>(i)]);
  }
}

template <typename Run>
void for_type(cudnnDataType_t type, const Run& run) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
      return run(float());
    case CUDNN_DATA_DOUBLE:
      return run(double());
    case CUDNN_DATA_HALF:
      return run(c10::Half());
    case CUDNN_DATA_BFLOAT16:
      return run(c10::BFloat16());
  }
}

__global__ void convolution_kernel(
    Map map, cudnnDataType_t type, ConvShape shape, const void* first, const void* second,
    void* result, void* workspace, size_t workspace_bytes) {
  if (workspace_bytes != 0) std::memset(workspace, 0, workspace_bytes);
  for_type(type, [&]<typename T>(T) { convolve<T>(map, shape, first, second, result); });
}

__global__ void add_bias_kernel(
    cudnnDataType_t type, int64_t count, int64_t volume, int64_t channels, const void* bias,
    void* data) {
  for_type(type, [&]<typename T>(T) {
    for (int64_t i = 0; i < count; ++i) {
      T* to = static_cast<T*>(data) + i;
      *to = static_cast<T>(*to + static_cast<const T*>(bias)[i / volume % channels]);
    }
  });
}

// ---- what a call's descriptors describe

ConvShape::Extent extent_of(const std::vector<int>& sizes, size_t skip, int64_t missing) {
  ConvShape::Extent extent = {missing, missing, missing};
  const size_t count = sizes.size() - skip;
  for (size_t i = 0; i < count; ++i)
    extent[3 - count + i] = sizes[skip + i];
  return extent;
}

bool sizes_agree(const ConvShape& s, const cudnnTensorStruct& y, const cudnnFilterStruct& w) {
  for (size_t d = 0; d < 3; ++d) {
    const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
    if (s.out[d] != (s.in[d] + 2 * s.pad[d] - reach) / s.stride[d] + 1) return false;
  }
  return y.sizes[0] == s.batch && w.sizes[0] == s.out_channels && s.groups > 0 &&
      w.sizes[1] * s.groups == s.in_channels && s.out_channels % s.groups == 0;
}

bool has_value(const void* factor, cudnnDataType_t type, double value) {
  return (type == CUDNN_DATA_DOUBLE ? *static_cast<const double*>(factor)
                                    : *static_cast<const float*>(factor)) == value;
}

template <typename Descriptor>
cudnnStatus_t set_sizes(
    Descriptor* descriptor, cudnnTensorFormat_t format, cudnnDataType_t type, int count,
    const int* sizes) {
  if (format != CUDNN_TENSOR_NCHW || count < 3) return CUDNN_STATUS_BAD_PARAM;
  for (int i = 0; i < count; ++i) {
    if (sizes[i] < 1) return CUDNN_STATUS_BAD_PARAM;
  }
  descriptor->type = type;
  descriptor->sizes.assign(sizes, sizes + count);
  return CUDNN_STATUS_SUCCESS;
}

std::mutex mutex;
std::string last_call; // for tests

} // namespace

Problem problem_of(
    Map map, cudnnHandle_t handle, const cudnnTensorStruct* x, const cudnnFilterStruct* w,
    const cudnnConvolutionStruct* c, const cudnnTensorStruct* y) {
  const size_t dimensions = x->sizes.size();
  if (dimensions < 4 || dimensions > 5 || w->sizes.size() != dimensions ||
      y->sizes.size() != dimensions || c->pad.size() + 2 != dimensions) {
    return {};
  }
  const ConvShape shape = {
      x->sizes[0],
      c->groups,
      x->sizes[1],
      y->sizes[1],
      extent_of(x->sizes, 2, 1),
      extent_of(w->sizes, 2, 1),
      extent_of(y->sizes, 2, 1),
      extent_of(c->stride, 0, 1),
      extent_of(c->pad, 0, 0),
      extent_of(c->dilation, 0, 1)};
  const cudnnDataType_t sums = x->type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const bool valid =
      w->type == x->type && y->type == x->type && c->type == sums && sizes_agree(shape, *y, *w);
  return {handle->stream, map, x->type, shape, c->math, valid};
}

// ---- the algorithms

bool is_supported(int algorithm) {
  return algorithm == 0 || algorithm == 1;
}
bool is_deterministic(Map map, int algorithm) {
  return algorithm == 1 || map == Map::Forward;
}
size_t workspace_of(const Problem& p, int algorithm) {
  constexpr size_t kRounding = 512;
  const auto columns = static_cast<size_t>(
      p.shape.in_channels * volume(p.shape.kernel) * volume(p.shape.out) * int64_t{sizeof(float)});
  return algorithm == 0 ? 0 : (columns + kRounding - 1) / kRounding * kRounding;
}

cudnnStatus_t prepare_measurement(const Problem& p, void* result, size_t result_bytes) {
  return cudaMemsetAsync(result, 0xFF, result_bytes, p.stream) == cudaSuccess &&
          cudaStreamSynchronize(p.stream) == cudaSuccess
      ? CUDNN_STATUS_SUCCESS
      : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t workspace_size(const Problem& p, int algorithm, size_t* bytes) {
  if (!p.valid) return CUDNN_STATUS_BAD_PARAM;
  if (!is_supported(algorithm)) return CUDNN_STATUS_NOT_SUPPORTED;
  *bytes = workspace_of(p, algorithm);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t run(
    const Problem& p, int algorithm, const void* alpha, const void* first, const void* second,
    void* workspace, size_t workspace_bytes, const void* beta, void* result) {
  if (!p.valid || !has_value(alpha, p.type, 1) || !has_value(beta, p.type, 0)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (!is_supported(algorithm)) return CUDNN_STATUS_NOT_SUPPORTED;
  if (workspace_bytes < workspace_of(p, algorithm)) return CUDNN_STATUS_BAD_PARAM;
  {
    static constexpr const char* kNames[] = {"forward", "backward data", "backward filter"};
    const std::lock_guard<std::mutex> lock(mutex);
    last_call = std::string(kNames[static_cast<int>(p.map)]) + ", algorithm " +
        std::to_string(algorithm) + ", math " + std::to_string(static_cast<int>(p.math));
  }
  return at::cuda::launch(
             convolution_kernel, 1, 1, 0, p.stream, p.map, p.type, p.shape, first, second, result,
             workspace, workspace_of(p, algorithm)) == cudaSuccess
      ? CUDNN_STATUS_SUCCESS
      : CUDNN_STATUS_EXECUTION_FAILED;
}

size_t bytes_of(cudnnDataType_t type, const std::vector<int>& sizes) {
  size_t bytes = type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
  for (const int size : sizes)
    bytes *= static_cast<size_t>(size);
  return bytes;
}

} // namespace cudnn_emulation

using namespace cudnn_emulation;

// For tests: the newest call, as "forward, algorithm 1, math 0".
namespace at::cuda::dnn {
C10_EXPORT const char* last_convolution();
const char* last_convolution() {
  static std::string answer;
  const std::lock_guard<std::mutex> lock(mutex);
  answer = last_call;
  return answer.c_str();
}
} // namespace at::cuda::dnn

size_t cudnnGetVersion() {
  return 91200;
}
const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS:
      return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_STATUS_INTERNAL_ERROR";
  }
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

#define CUDA_EMULATION_OBJECT(Name, Handle, Struct)  \
  cudnnStatus_t cudnnCreate##Name(Handle* created) { \
    *created = new Struct;                           \
    return CUDNN_STATUS_SUCCESS;                     \
  }                                                  \
  cudnnStatus_t cudnnDestroy##Name(Handle handle) {  \
    delete handle;                                   \
    return CUDNN_STATUS_SUCCESS;                     \
  }
CUDA_EMULATION_OBJECT(, cudnnHandle_t, cudnnContext)
CUDA_EMULATION_OBJECT(TensorDescriptor, cudnnTensorDescriptor_t, cudnnTensorStruct)
CUDA_EMULATION_OBJECT(FilterDescriptor, cudnnFilterDescriptor_t, cudnnFilterStruct)
CUDA_EMULATION_OBJECT(ConvolutionDescriptor, cudnnConvolutionDescriptor_t, cudnnConvolutionStruct)
#undef CUDA_EMULATION_OBJECT

cudnnStatus_t cudnnSetTensorNdDescriptorEx(
    cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format, cudnnDataType_t type, int count,
    const int* sizes) {
  return set_sizes(descriptor, format, type, count, sizes);
}
cudnnStatus_t cudnnSetFilterNdDescriptor(
    cudnnFilterDescriptor_t descriptor, cudnnDataType_t type, cudnnTensorFormat_t format, int count,
    const int* sizes) {
  return set_sizes(descriptor, format, type, count, sizes);
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t descriptor, int count, const int* pad, const int* stride,
    const int* dilation, cudnnConvolutionMode_t mode, cudnnDataType_t compute_type) {
  if (mode != CUDNN_CROSS_CORRELATION || count < 2 || count > 3) return CUDNN_STATUS_BAD_PARAM;
  descriptor->pad.assign(pad, pad + count);
  descriptor->stride.assign(stride, stride + count);
  descriptor->dilation.assign(dilation, dilation + count);
  descriptor->type = compute_type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor, int groups) {
  descriptor->groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(
    cudnnConvolutionDescriptor_t descriptor, cudnnMathType_t math) {
  descriptor->math = math;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnAddTensor(
    cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t a_descriptor,
    const void* a, const void* beta, const cudnnTensorDescriptor_t c_descriptor, void* c) {
  const cudnnDataType_t type = c_descriptor->type;
  const std::vector<int>& sizes = c_descriptor->sizes;
  std::vector<int> one_per_channel(sizes.size(), 1);
  one_per_channel[1] = sizes[1];
  if (a_descriptor->type != type || a_descriptor->sizes != one_per_channel ||
      !has_value(alpha, type, 1) || !has_value(beta, type, 1)) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  const auto count = static_cast<int64_t>(bytes_of(type, sizes) / bytes_of(type, {}));
  const int64_t channels = sizes[1];
  return at::cuda::launch(
             add_bias_kernel, 1, 1, 0, handle->stream, type, count, count / sizes[0] / channels,
             channels, a, c) == cudaSuccess
      ? CUDNN_STATUS_SUCCESS
      : CUDNN_STATUS_EXECUTION_FAILED;
}
