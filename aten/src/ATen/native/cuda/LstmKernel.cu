// The element-wise part of an LSTM's steps.

#include <ATen/native/LstmLayer.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAStream.h>

#include <cmath>
#include <cstdint>

namespace at::native {
namespace {

template <typename T>
__device__ T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

// A thread computes one element of the state. Gates are [batch, 4, width].
template <typename T>
__global__ void step(
    int64_t batch, int64_t width, T* gates, const T* previous_cell, T* cell, T* hidden) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= batch * width) return;
  T* mine = gates + at / width * 4 * width + at % width;
  const T i = sigmoid(mine[0]), f = sigmoid(mine[width]);
  const T g = std::tanh(mine[2 * width]), o = sigmoid(mine[3 * width]);
  const T c = f * previous_cell[at] + i * g;
  mine[0] = i;
  mine[width] = f;
  mine[2 * width] = g;
  mine[3 * width] = o;
  cell[at] = c;
  hidden[at] = o * std::tanh(c);
}

template <typename T>
__global__ void step_backward(
    int64_t batch, int64_t width, T* gates, const T* previous_cell, const T* cell,
    const T* grad_output, const T* grad_hidden, T* grad_cell) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= batch * width) return;
  T* mine = gates + at / width * 4 * width + at % width;
  const T i = mine[0], f = mine[width], g = mine[2 * width], o = mine[3 * width];
  const T dh = grad_hidden[at] + (grad_output != nullptr ? grad_output[at] : T(0));
  const T squashed = std::tanh(cell[at]);
  const T dc = grad_cell[at] + dh * o * (T(1) - squashed * squashed);
  mine[0] = dc * g * i * (T(1) - i);
  mine[width] = dc * previous_cell[at] * f * (T(1) - f);
  mine[2 * width] = dc * i * (T(1) - g * g);
  mine[3 * width] = dh * squashed * o * (T(1) - o);
  grad_cell[at] = dc * f;
}

template <typename... Parameters, typename... Arguments>
void launch_over(int64_t count, void (*kernel)(Parameters...), Arguments... arguments) {
  constexpr int64_t kBlock = 256;
  if (count == 0) return;
  C10_CUDA_CHECK(at::cuda::launch(
      kernel, static_cast<unsigned>((count + kBlock - 1) / kBlock), static_cast<unsigned>(kBlock),
      0, c10::cuda::getCurrentCUDAStream(), arguments...));
}

template <typename T>
void run(const LstmStep& s) {
  launch_over(
      s.batch * s.width, step<T>, s.batch, s.width, static_cast<T*>(s.gates),
      static_cast<const T*>(s.previous_cell), static_cast<T*>(s.cell), static_cast<T*>(s.hidden));
}

template <typename T>
void run(const LstmStepBackward& s) {
  launch_over(
      s.batch * s.width, step_backward<T>, s.batch, s.width, static_cast<T*>(s.gates),
      static_cast<const T*>(s.previous_cell), static_cast<const T*>(s.cell),
      static_cast<const T*>(s.grad_output), static_cast<const T*>(s.grad_hidden),
      static_cast<T*>(s.grad_cell));
}

template <typename Step>
void lstm_step_cuda(c10::ScalarType dtype, const Step& step) {
  dtype == c10::ScalarType::Double ? run<double>(step) : run<float>(step);
}

} // namespace

REGISTER_CUDA_DISPATCH(lstm_step_stub, &lstm_step_cuda<LstmStep>)
REGISTER_CUDA_DISPATCH(lstm_step_backward_stub, &lstm_step_cuda<LstmStepBackward>)

} // namespace at::native
