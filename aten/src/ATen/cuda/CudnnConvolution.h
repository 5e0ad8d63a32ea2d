#pragma once

// A convolution in cuDNN's terms, and the three maps that it knows of it.

#include <ATen/cuda/CudnnDescriptors.h>
#include <ATen/native/ConvShape.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace at::cuda::dnn {

// cuDNN counts elements in 32 bits.
bool has_32_bit_sizes(const native::ConvShape& shape);

// The descriptors of a convolution and what its algorithm depends on.
struct Problem {
  // The device, the dtype, the settings, and the numbers of the shape; the last place is free.
  using Key = std::array<int64_t, 27>;

  Problem(c10::ScalarType dtype, const native::ConvShape& shape, bool deterministic);

  // Algorithms are proposed with or without tensor cores, but only within what the settings allow.
  cudnnMathType_t math_for(cudnnMathType_t proposed) const {
    return math == CUDNN_FMA_MATH ? math : proposed;
  }
  // 1 or 0 in the type of scaling factors.
  const void* one() const;
  const void* zero() const;

  cudnnHandle_t handle;
  c10::ScalarType dtype;
  bool deterministic;
  cudnnMathType_t math;
  TensorDescriptor input, output;
  TensorDescriptor input_bias, output_bias; // one number for each channel
  FilterDescriptor weight;
  ConvolutionDescriptor convolution;
  Key key;
};

// The two operands of a map in cuDNN's order, and its result.
struct Arrays {
  const void* first;
  const void* second;
  void* result;
};

struct Workspace {
  void* data;
  size_t bytes;
};

// output = input * weight
struct Forward {
  using Algorithm = cudnnConvolutionFwdAlgo_t;
  using Answer = cudnnConvolutionFwdAlgoPerf_t;
  static constexpr int kAlgorithms = CUDNN_CONVOLUTION_FWD_ALGO_COUNT;

  static cudnnStatus_t rank(const Problem& p, int limit, int* count, Answer* answers);
  static cudnnStatus_t measure(
      const Problem& p, const Arrays& a, int limit, int* count, Answer* answers, Workspace work);
  static cudnnStatus_t workspace(const Problem& p, Algorithm algorithm, size_t* bytes);
  static cudnnStatus_t run(const Problem& p, const Arrays& a, Algorithm algorithm, Workspace work);
  static void add_bias(const Problem& p, const void* bias, void* output);
};

// The gradient of the input, from the weight and the gradient of the output.
struct Adjoint {
  using Algorithm = cudnnConvolutionBwdDataAlgo_t;
  using Answer = cudnnConvolutionBwdDataAlgoPerf_t;
  static constexpr int kAlgorithms = CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT;

  static cudnnStatus_t rank(const Problem& p, int limit, int* count, Answer* answers);
  static cudnnStatus_t measure(
      const Problem& p, const Arrays& a, int limit, int* count, Answer* answers, Workspace work);
  static cudnnStatus_t workspace(const Problem& p, Algorithm algorithm, size_t* bytes);
  static cudnnStatus_t run(const Problem& p, const Arrays& a, Algorithm algorithm, Workspace work);
  static void add_bias(const Problem& p, const void* bias, void* input);
};

// The gradient of the weight, from the input and the gradient of the output.
struct WeightGradient {
  using Algorithm = cudnnConvolutionBwdFilterAlgo_t;
  using Answer = cudnnConvolutionBwdFilterAlgoPerf_t;
  static constexpr int kAlgorithms = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT;

  static cudnnStatus_t rank(const Problem& p, int limit, int* count, Answer* answers);
  static cudnnStatus_t measure(
      const Problem& p, const Arrays& a, int limit, int* count, Answer* answers, Workspace work);
  static cudnnStatus_t workspace(const Problem& p, Algorithm algorithm, size_t* bytes);
  static cudnnStatus_t run(const Problem& p, const Arrays& a, Algorithm algorithm, Workspace work);
  static void add_bias(const Problem&, const void*, void*) {} // it has none
};

} // namespace at::cuda::dnn
