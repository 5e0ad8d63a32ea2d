#include <ATen/cuda/CudnnConvolution.h>

#include <ATen/Context.h>
#include <c10/cuda/CUDAFunctions.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace at::cuda::dnn {
namespace {

using native::ConvShape;
using native::volume;
using Sizes = std::vector<int>;

// Convolutions of one dimension are given to cuDNN as ones of two.
int64_t first_dimension(const ConvShape& s) {
  const bool has_depth = s.in[0] != 1 || s.out[0] != 1 || s.kernel[0] != 1 || s.pad[0] != 0;
  return has_depth ? 0 : 1;
}

Sizes spatial(const ConvShape& s, const ConvShape::Extent& extent) {
  return {extent.begin() + first_dimension(s), extent.end()};
}

Sizes sizes(const ConvShape& s, int64_t outer, int64_t channels, const ConvShape::Extent& extent) {
  Sizes all = {static_cast<int>(outer), static_cast<int>(channels)};
  const Sizes inner = spatial(s, extent);
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

void describe(const TensorDescriptor& descriptor, cudnnDataType_t type, const Sizes& sizes) {
  TORCH_CUDNN_CHECK(cudnnSetTensorNdDescriptorEx(
      descriptor, CUDNN_TENSOR_NCHW, type, static_cast<int>(sizes.size()), sizes.data()));
}

// Sums of 16-bit floats are kept in float.
cudnnDataType_t compute_type(c10::ScalarType dtype) {
  return dtype == c10::ScalarType::Double ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

cudnnMathType_t allowed_math(c10::ScalarType dtype) {
  if (c10::elementSize(dtype) == 2) return CUDNN_TENSOR_OP_MATH;
  const bool only_float = dtype == c10::ScalarType::Float && !globalContext().allowTF32CuDNN();
  return only_float ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
}

Problem::Key key_of(const Problem& problem, const ConvShape& s) {
  Problem::Key key = {
      c10::cuda::current_device(),
      static_cast<int64_t>(problem.dtype),
      problem.deterministic,
      problem.math,
      s.batch,
      s.groups,
      s.in_channels,
      s.out_channels};
  auto* next = key.begin() + 8;
  for (const auto& extent : {s.in, s.kernel, s.out, s.stride, s.pad, s.dilation}) {
    next = std::copy(extent.begin(), extent.end(), next);
  }
  return key;
}

void add_channels(
    const Problem& p, const TensorDescriptor& bias_descriptor, const void* bias,
    const TensorDescriptor& descriptor, void* data) {
  TORCH_CUDNN_CHECK(
      cudnnAddTensor(p.handle, p.one(), bias_descriptor, bias, p.one(), descriptor, data));
}

} // namespace

bool has_32_bit_sizes(const ConvShape& s) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const auto fits = [](const ConvShape::Extent& extent) {
    return std::all_of(extent.begin(), extent.end(), [](int64_t n) { return n <= kMost; });
  };
  return fits(s.stride) && fits(s.pad) && fits(s.dilation) &&
      s.batch * s.in_channels * volume(s.in) <= kMost &&
      s.batch * s.out_channels * volume(s.out) <= kMost &&
      s.out_channels * (s.in_channels / s.groups) * volume(s.kernel) <= kMost;
}

Problem::Problem(c10::ScalarType dtype, const ConvShape& shape, bool deterministic)
    : handle(current_handle()),
      dtype(dtype),
      deterministic(deterministic),
      math(allowed_math(dtype)),
      key(key_of(*this, shape)) {
  const ConvShape& s = shape;
  const cudnnDataType_t type = data_type(dtype);
  constexpr ConvShape::Extent kOnes = {1, 1, 1};
  describe(input, type, sizes(s, s.batch, s.in_channels, s.in));
  describe(output, type, sizes(s, s.batch, s.out_channels, s.out));
  describe(input_bias, type, sizes(s, 1, s.in_channels, kOnes));
  describe(output_bias, type, sizes(s, 1, s.out_channels, kOnes));
  const Sizes filter = sizes(s, s.out_channels, s.in_channels / s.groups, s.kernel);
  TORCH_CUDNN_CHECK(cudnnSetFilterNdDescriptor(
      weight, type, CUDNN_TENSOR_NCHW, static_cast<int>(filter.size()), filter.data()));
  const Sizes pad = spatial(s, s.pad), stride = spatial(s, s.stride);
  const Sizes dilation = spatial(s, s.dilation);
  TORCH_CUDNN_CHECK(cudnnSetConvolutionNdDescriptor(
      convolution, static_cast<int>(pad.size()), pad.data(), stride.data(), dilation.data(),
      CUDNN_CROSS_CORRELATION, compute_type(dtype)));
  TORCH_CUDNN_CHECK(cudnnSetConvolutionGroupCount(convolution, static_cast<int>(s.groups)));
  TORCH_CUDNN_CHECK(cudnnSetConvolutionMathType(convolution, math));
}

const void* Problem::one() const {
  static constexpr float kFloat = 1;
  static constexpr double kDouble = 1;
  return dtype == c10::ScalarType::Double ? static_cast<const void*>(&kDouble) : &kFloat;
}

const void* Problem::zero() const {
  static constexpr float kFloat = 0;
  static constexpr double kDouble = 0;
  return dtype == c10::ScalarType::Double ? static_cast<const void*>(&kDouble) : &kFloat;
}

// ---- the maps

cudnnStatus_t Forward::rank(const Problem& p, int limit, int* count, Answer* answers) {
  return cudnnGetConvolutionForwardAlgorithm_v7(
      p.handle, p.input, p.weight, p.convolution, p.output, limit, count, answers);
}
cudnnStatus_t Forward::measure(
    const Problem& p, const Arrays& a, int limit, int* count, Answer* answers, Workspace work) {
  return cudnnFindConvolutionForwardAlgorithmEx(
      p.handle, p.input, a.first, p.weight, a.second, p.convolution, p.output, a.result, limit,
      count, answers, work.data, work.bytes);
}
cudnnStatus_t Forward::workspace(const Problem& p, Algorithm algorithm, size_t* bytes) {
  return cudnnGetConvolutionForwardWorkspaceSize(
      p.handle, p.input, p.weight, p.convolution, p.output, algorithm, bytes);
}
cudnnStatus_t Forward::run(const Problem& p, const Arrays& a, Algorithm algorithm, Workspace work) {
  return cudnnConvolutionForward(
      p.handle, p.one(), p.input, a.first, p.weight, a.second, p.convolution, algorithm, work.data,
      work.bytes, p.zero(), p.output, a.result);
}
void Forward::add_bias(const Problem& p, const void* bias, void* output) {
  add_channels(p, p.output_bias, bias, p.output, output);
}

cudnnStatus_t Adjoint::rank(const Problem& p, int limit, int* count, Answer* answers) {
  return cudnnGetConvolutionBackwardDataAlgorithm_v7(
      p.handle, p.weight, p.output, p.convolution, p.input, limit, count, answers);
}
cudnnStatus_t Adjoint::measure(
    const Problem& p, const Arrays& a, int limit, int* count, Answer* answers, Workspace work) {
  return cudnnFindConvolutionBackwardDataAlgorithmEx(
      p.handle, p.weight, a.first, p.output, a.second, p.convolution, p.input, a.result, limit,
      count, answers, work.data, work.bytes);
}
cudnnStatus_t Adjoint::workspace(const Problem& p, Algorithm algorithm, size_t* bytes) {
  return cudnnGetConvolutionBackwardDataWorkspaceSize(
      p.handle, p.weight, p.output, p.convolution, p.input, algorithm, bytes);
}
cudnnStatus_t Adjoint::run(const Problem& p, const Arrays& a, Algorithm algorithm, Workspace work) {
  return cudnnConvolutionBackwardData(
      p.handle, p.one(), p.weight, a.first, p.output, a.second, p.convolution, algorithm, work.data,
      work.bytes, p.zero(), p.input, a.result);
}
void Adjoint::add_bias(const Problem& p, const void* bias, void* input) {
  add_channels(p, p.input_bias, bias, p.input, input);
}

cudnnStatus_t WeightGradient::rank(const Problem& p, int limit, int* count, Answer* answers) {
  return cudnnGetConvolutionBackwardFilterAlgorithm_v7(
      p.handle, p.input, p.output, p.convolution, p.weight, limit, count, answers);
}
cudnnStatus_t WeightGradient::measure(
    const Problem& p, const Arrays& a, int limit, int* count, Answer* answers, Workspace work) {
  return cudnnFindConvolutionBackwardFilterAlgorithmEx(
      p.handle, p.input, a.first, p.output, a.second, p.convolution, p.weight, a.result, limit,
      count, answers, work.data, work.bytes);
}
cudnnStatus_t WeightGradient::workspace(const Problem& p, Algorithm algorithm, size_t* bytes) {
  return cudnnGetConvolutionBackwardFilterWorkspaceSize(
      p.handle, p.input, p.output, p.convolution, p.weight, algorithm, bytes);
}
cudnnStatus_t WeightGradient::run(
    const Problem& p, const Arrays& a, Algorithm algorithm, Workspace work) {
  return cudnnConvolutionBackwardFilter(
      p.handle, p.one(), p.input, a.first, p.output, a.second, p.convolution, algorithm, work.data,
      work.bytes, p.zero(), p.weight, a.result);
}

} // namespace at::cuda::dnn
