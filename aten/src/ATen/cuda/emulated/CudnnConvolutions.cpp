// The functions of cuDNN's interface for convolutions, on the emulated device.

#include <ATen/cuda/emulated/Cudnn.h>

using namespace cudnn_emulation;

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y, int requested,
    int* returned, cudnnConvolutionFwdAlgoPerf_t* answers) {
  return rank(problem_of(Map::Forward, handle, x, w, convolution, y), requested, returned, answers);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const void*,
    const cudnnFilterDescriptor_t w, const void*, const cudnnConvolutionDescriptor_t convolution,
    const cudnnTensorDescriptor_t y, void* y_data, int requested, int* returned,
    cudnnConvolutionFwdAlgoPerf_t* answers, void*, size_t workspace_bytes) {
  return measure(
      problem_of(Map::Forward, handle, x, w, convolution, y), y_data, bytes_of(y->type, y->sizes),
      requested, returned, answers, workspace_bytes);
}
cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnFilterDescriptor_t w,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t y,
    cudnnConvolutionFwdAlgo_t algorithm, size_t* bytes) {
  return workspace_size(problem_of(Map::Forward, handle, x, w, convolution, y), algorithm, bytes);
}
cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t x, const void* x_data,
    const cudnnFilterDescriptor_t w, const void* w_data,
    const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionFwdAlgo_t algorithm,
    void* workspace, size_t workspace_bytes, const void* beta, const cudnnTensorDescriptor_t y,
    void* y_data) {
  return run(
      problem_of(Map::Forward, handle, x, w, convolution, y), algorithm, alpha, x_data, w_data,
      workspace, workspace_bytes, beta, y_data);
}

cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx, int requested,
    int* returned, cudnnConvolutionBwdDataAlgoPerf_t* answers) {
  return rank(
      problem_of(Map::Adjoint, handle, dx, w, convolution, dy), requested, returned, answers);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const void*,
    const cudnnTensorDescriptor_t dy, const void*, const cudnnConvolutionDescriptor_t convolution,
    const cudnnTensorDescriptor_t dx, void* dx_data, int requested, int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* answers, void*, size_t workspace_bytes) {
  return measure(
      problem_of(Map::Adjoint, handle, dx, w, convolution, dy), dx_data,
      bytes_of(dx->type, dx->sizes), requested, returned, answers, workspace_bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t handle, const cudnnFilterDescriptor_t w, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnTensorDescriptor_t dx,
    cudnnConvolutionBwdDataAlgo_t algorithm, size_t* bytes) {
  return workspace_size(problem_of(Map::Adjoint, handle, dx, w, convolution, dy), algorithm, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void* alpha, const cudnnFilterDescriptor_t w, const void* w_data,
    const cudnnTensorDescriptor_t dy, const void* dy_data,
    const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionBwdDataAlgo_t algorithm,
    void* workspace, size_t workspace_bytes, const void* beta, const cudnnTensorDescriptor_t dx,
    void* dx_data) {
  return run(
      problem_of(Map::Adjoint, handle, dx, w, convolution, dy), algorithm, alpha, w_data, dy_data,
      workspace, workspace_bytes, beta, dx_data);
}

cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dw, int requested,
    int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* answers) {
  return rank(
      problem_of(Map::Weight, handle, x, dw, convolution, dy), requested, returned, answers);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const void*,
    const cudnnTensorDescriptor_t dy, const void*, const cudnnConvolutionDescriptor_t convolution,
    const cudnnFilterDescriptor_t dw, void* dw_data, int requested, int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* answers, void*, size_t workspace_bytes) {
  return measure(
      problem_of(Map::Weight, handle, x, dw, convolution, dy), dw_data,
      bytes_of(dw->type, dw->sizes), requested, returned, answers, workspace_bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t handle, const cudnnTensorDescriptor_t x, const cudnnTensorDescriptor_t dy,
    const cudnnConvolutionDescriptor_t convolution, const cudnnFilterDescriptor_t dw,
    cudnnConvolutionBwdFilterAlgo_t algorithm, size_t* bytes) {
  return workspace_size(problem_of(Map::Weight, handle, x, dw, convolution, dy), algorithm, bytes);
}
cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void* alpha, const cudnnTensorDescriptor_t x, const void* x_data,
    const cudnnTensorDescriptor_t dy, const void* dy_data,
    const cudnnConvolutionDescriptor_t convolution, cudnnConvolutionBwdFilterAlgo_t algorithm,
    void* workspace, size_t workspace_bytes, const void* beta, const cudnnFilterDescriptor_t dw,
    void* dw_data) {
  return run(
      problem_of(Map::Weight, handle, x, dw, convolution, dy), algorithm, alpha, x_data, dy_data,
      workspace, workspace_bytes, beta, dw_data);
}
