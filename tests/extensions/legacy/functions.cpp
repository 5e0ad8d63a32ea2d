// Functions of at::legacy::th as operators, so that a test calls them; and the kernels' Python
// methods.
#include <ATen/LegacyTHFunctions.h>
#include <torch/library.h>

namespace legacy = at::legacy::th;

TORCH_LIBRARY(legacy_test, m) {
  m.def("adaptive_max_pool2d", [](const at::Tensor& self, at::IntArrayRef size) {
    return legacy::_thnn_adaptive_max_pool2d_forward(self, size);
  });
  m.def(
      "adaptive_max_pool2d_backward",
      [](const at::Tensor& grad, const at::Tensor& self, const at::Tensor& indices) {
        return legacy::_thnn_adaptive_max_pool2d_backward(grad, self, indices);
      });
  m.def("elu", [](const at::Tensor& self) { return legacy::_thnn_elu_forward(self); });
  m.def("elu_out", [](at::Tensor output, const at::Tensor& self) {
    return legacy::_thnn_elu_forward_out(output, self, 0.5);
  });
  m.def("elu_backward", [](const at::Tensor& grad, const at::Tensor& output) {
    return legacy::_thnn_elu_backward(grad, 1, 1, 1, output);
  });
  m.def("mse_loss", [](const at::Tensor& self, const at::Tensor& target, int64_t reduction) {
    return legacy::_thnn_mse_loss_forward(self, target, reduction);
  });
  m.def("nll_loss", [](const at::Tensor& self, const at::Tensor& target) {
    return legacy::_thnn_nll_loss_forward(self, target);
  });
  m.def("im2col", [](const at::Tensor& self) {
    return legacy::_thnn_im2col_forward(self, {2, 3}, {1, 2}, {1, 0}, {2, 1});
  });
  m.def("im2col_backward", [](const at::Tensor& grad, int64_t height, int64_t width) {
    return legacy::_thnn_im2col_backward(grad, {height, width}, {2, 3}, {1, 2}, {1, 0}, {2, 1});
  });
  m.def("histc", [](const at::Tensor& self, int64_t bins, double min, double max) {
    return legacy::_th_histc(self, bins, min, max);
  });
  m.def("renorm", [](const at::Tensor& self, double p, int64_t dim, double maximum) {
    return legacy::_th_renorm(self, p, dim, maximum);
  });
}
