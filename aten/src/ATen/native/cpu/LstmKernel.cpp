#include <ATen/cpu/vec/vec_exp.h>
#include <ATen/native/LstmLayer.h>
#include <ATen/native/cpu/Lanes.h>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

template <class T>
struct Lstm {
  using V = Lanes<T>;
  static constexpr int L = kLanes<T>;

  static V load(const void* p, int64_t at, int64_t count) {
    return load_up_to<T>(static_cast<const T*>(p) + at, count, T(0));
  }
  static void save(void* p, int64_t at, V value, int64_t count) {
    save_up_to<T, T>(static_cast<T*>(p) + at, value, count);
  }

  // c = f c' + i g, h = o tanh(c)
  static void step(const LstmStep& s) {
    const int64_t n = s.width;
    for (int64_t row = 0; row < s.batch; ++row) {
      T* gates = static_cast<T*>(s.gates) + row * 4 * n;
      for (int64_t j = 0; j < n; j += L) {
        const int64_t count = n - j;
        const V i = at::vec::sigmoid(load(gates, j, count));
        const V f = at::vec::sigmoid(load(gates, n + j, count));
        const V g = at::vec::tanh(load(gates, 2 * n + j, count));
        const V o = at::vec::sigmoid(load(gates, 3 * n + j, count));
        const V c = f * load(s.previous_cell, row * n + j, count) + i * g;
        save(gates, j, i, count);
        save(gates, n + j, f, count);
        save(gates, 2 * n + j, g, count);
        save(gates, 3 * n + j, o, count);
        save(s.cell, row * n + j, c, count);
        save(s.hidden, row * n + j, o * at::vec::tanh(c), count);
      }
    }
  }

  static void step_backward(const LstmStepBackward& s) {
    const int64_t n = s.width;
    for (int64_t row = 0; row < s.batch; ++row) {
      T* gates = static_cast<T*>(s.gates) + row * 4 * n;
      for (int64_t j = 0; j < n; j += L) {
        const int64_t count = n - j, at = row * n + j;
        const V i = load(gates, j, count), f = load(gates, n + j, count);
        const V g = load(gates, 2 * n + j, count), o = load(gates, 3 * n + j, count);
        V dh = load(s.grad_hidden, at, count);
        if (s.grad_output != nullptr) {
          dh += load(s.grad_output, at, count);
        }
        const V squashed = at::vec::tanh(load(s.cell, at, count));
        const V dc = load(s.grad_cell, at, count) + dh * o * (T(1) - squashed * squashed);
        save(gates, j, dc * g * i * (T(1) - i), count);
        save(gates, n + j, dc * load(s.previous_cell, at, count) * f * (T(1) - f), count);
        save(gates, 2 * n + j, dc * i * (T(1) - g * g), count);
        save(gates, 3 * n + j, dh * squashed * o * (T(1) - o), count);
        save(s.grad_cell, at, dc * f, count);
      }
    }
  }
};

void lstm_step(c10::ScalarType dtype, const LstmStep& step) {
  dtype == c10::ScalarType::Double ? Lstm<double>::step(step) : Lstm<float>::step(step);
}

void lstm_step_backward(c10::ScalarType dtype, const LstmStepBackward& step) {
  dtype == c10::ScalarType::Double ? Lstm<double>::step_backward(step)
                                   : Lstm<float>::step_backward(step);
}

} // namespace

REGISTER_DISPATCH(lstm_step_stub, &lstm_step)
REGISTER_DISPATCH(lstm_step_backward_stub, &lstm_step_backward)

} // namespace CPU_CAPABILITY
} // namespace at::native
