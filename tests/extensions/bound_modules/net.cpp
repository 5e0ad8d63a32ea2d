// Modules of the C++ front end, bound to Python for test_bound_modules.py.
#include <torch/python.h>
#include <torch/torch.h>

#include <optional>
#include <string>
#include <tuple>

namespace {

struct Net : torch::nn::Module {
  Net(int64_t in, int64_t hidden, double p)
      : torch::nn::Module("Net"), fc1(in, hidden), fc2(hidden, 1), dropout(p) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
    register_module("dropout", dropout);
    scale = register_parameter("scale", torch::ones({1}));
    calls = register_buffer("calls", torch::zeros({1}));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    {
      const torch::NoGradGuard guard;
      calls.add_(1);
    }
    return fc2(dropout(torch::relu(fc1(x)))) * scale;
  }
  std::tuple<torch::Tensor, int64_t> shifted(
      const torch::Tensor& x, std::optional<double> by, std::string how) const {
    TORCH_CHECK(how == "up" || how == "down", "unknown direction ", how);
    const double shift = by.value_or(1);
    return {x + (how == "up" ? shift : -shift), x.dim()};
  }
  void forget() { calls.zero_(); }

  torch::nn::Linear fc1, fc2;
  torch::nn::Dropout dropout;
  torch::Tensor scale, calls;
};

struct Unbuilt : torch::nn::Module {};

} // namespace

TORCH_PYTHON_MODULE(TORCH_EXTENSION_NAME, m) {
  torch::python::bind_module<Net>(m, "Net")
      .def(torch::python::init<int64_t, int64_t, double>())
      .def("forward", &Net::forward)
      .def("shifted", &Net::shifted)
      .def("forget", &Net::forget);
  torch::python::bind_module<Unbuilt>(m, "Unbuilt");
}
