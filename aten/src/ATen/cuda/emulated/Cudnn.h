#pragma once

// The emulated cuDNN between the functions of its interface: what their descriptors hold, and what
// they do.

#include <ATen/native/ConvShape.h>
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

struct cudnnContext {
  cudaStream_t stream = nullptr;
};
struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> sizes;
};
struct cudnnFilterStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> sizes;
};
struct cudnnConvolutionStruct {
  std::vector<int> pad, stride, dilation;
  int groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
};

namespace cudnn_emulation {

using at::native::ConvShape;
using at::native::volume;

enum class Map { Forward, Adjoint, Weight };

// What the descriptors of a call describe; not valid if they contradict each other.
struct Problem {
  cudaStream_t stream;
  Map map;
  cudnnDataType_t type;
  ConvShape shape;
  cudnnMathType_t math;
  bool valid = false;
};

Problem problem_of(
    Map map, cudnnHandle_t handle, const cudnnTensorStruct* x, const cudnnFilterStruct* w,
    const cudnnConvolutionStruct* convolution, const cudnnTensorStruct* y);

size_t bytes_of(cudnnDataType_t type, const std::vector<int>& sizes);

// Each map has two algorithms. Algorithm 1 is proposed first, needs a workspace, and repeats its
// results; algorithm 0 needs none, is the faster one when measured, and repeats its results only
// for the forward map. The others are not supported.
bool is_supported(int algorithm);
bool is_deterministic(Map map, int algorithm);
size_t workspace_of(const Problem& p, int algorithm);

cudnnStatus_t workspace_size(const Problem& p, int algorithm, size_t* bytes);
cudnnStatus_t run(
    const Problem& p, int algorithm, const void* alpha, const void* first, const void* second,
    void* workspace, size_t workspace_bytes, const void* beta, void* result);
// Measuring leaves something in the result, and has to wait for the stream.
cudnnStatus_t prepare_measurement(const Problem& p, void* result, size_t result_bytes);

template <typename Answer>
cudnnStatus_t list(
    const Problem& p, const std::array<int, 3>& order, int requested, int* returned,
    Answer* answers) {
  if (!p.valid || requested < 1) return CUDNN_STATUS_BAD_PARAM;
  *returned = std::min<int>(requested, order.size());
  for (int i = 0; i < *returned; ++i) {
    const int algorithm = order[static_cast<size_t>(i)];
    const bool supported = is_supported(algorithm);
    answers[i] = {
        static_cast<decltype(Answer::algo)>(algorithm),
        supported ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED,
        static_cast<float>(i),
        supported ? workspace_of(p, algorithm) : 0,
        is_deterministic(p.map, algorithm) ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC,
        p.math,
        {}};
  }
  return CUDNN_STATUS_SUCCESS;
}

template <typename Answer>
cudnnStatus_t rank(const Problem& p, int requested, int* returned, Answer* answers) {
  return list(p, {1, 0, 2}, requested, returned, answers);
}

template <typename Answer>
cudnnStatus_t measure(
    const Problem& p, void* result, size_t result_bytes, int requested, int* returned,
    Answer* answers, size_t workspace_bytes) {
  cudnnStatus_t status = prepare_measurement(p, result, result_bytes);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  status = list(p, {0, 1, 2}, requested, returned, answers);
  for (int i = 0; status == CUDNN_STATUS_SUCCESS && i < *returned; ++i) {
    if (answers[i].memory > workspace_bytes) answers[i].status = CUDNN_STATUS_NOT_SUPPORTED;
  }
  return status;
}

} // namespace cudnn_emulation
