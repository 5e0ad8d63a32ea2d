// The program of pytorch/examples that fits a polynomial of degree 4, and a network of every layer
// with an optimizer that is saved and loaded. Prints the largest difference of the weights.
#include <torch/torch.h>

#include <cstdio>
#include <string>
#include <tuple>

constexpr int kPolyDegree = 4;

torch::Tensor make_features(torch::Tensor x) {
  x = x.unsqueeze(1);
  std::vector<torch::Tensor> powers;
  for (int64_t i = 0; i < kPolyDegree; ++i)
    powers.push_back(x.pow(i + 1));
  return torch::cat(powers, 1);
}

int main(int, char** argv) {
  torch::manual_seed(0);
  const auto weights = torch::randn({kPolyDegree, 1}) * 5;
  const auto bias = torch::randn({1}) * 5;
  const auto get_batch = [&] {
    const auto random = torch::randn({32});
    const auto x = make_features(random);
    return std::make_tuple(x, x.mm(weights) + bias[0]);
  };
  auto fc = torch::nn::Linear(weights.size(0), 1);
  torch::optim::SGD optim(fc->parameters(), .1);
  float loss = 0;
  int64_t steps = 0;
  while (++steps < 5000) {
    auto [batch_x, batch_y] = get_batch();
    optim.zero_grad();
    auto output = torch::smooth_l1_loss(fc(batch_x), batch_y);
    loss = output.item<float>();
    output.backward();
    optim.step();
    if (loss < 1e-3f) break;
  }
  TORCH_CHECK(loss < 1e-3f, "the loss is ", loss);

  // One step, a copy of everything through files, and another step in both.
  const std::string folder = argv[1];
  const auto made = [] {
    return torch::nn::Sequential(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3).stride(2).padding(1).bias(false)),
        torch::nn::BatchNorm2d(4),
        torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
        torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(4, 2, 4).stride(2)),
        torch::nn::Functional(torch::elu, 1, 1, 1), torch::nn::MaxPool2d(2), torch::nn::Flatten(),
        torch::nn::Linear(torch::nn::LinearOptions(72, 6)), torch::nn::ReLU(),
        torch::nn::LayerNorm(std::vector<int64_t>{6}), torch::nn::Dropout(0.0), torch::nn::Tanh());
  };
  auto first = made(), second = made();
  torch::optim::Adam one(
      first->parameters(), torch::optim::AdamOptions(2e-3).betas(std::make_tuple(0.5, 0.9)));
  torch::optim::Adam two(
      second->parameters(), torch::optim::AdamOptions(2e-3).betas(std::make_tuple(0.5, 0.9)));
  const auto image = torch::rand({3, 1, 10, 10});
  const auto step = [&](torch::nn::Sequential& model, torch::optim::Optimizer& optimizer) {
    optimizer.zero_grad();
    model->forward(image).square().mean().backward();
    optimizer.step();
  };
  step(first, one);
  torch::save(first, folder + "/model.pt");
  torch::save(one, folder + "/optimizer.pt");
  torch::load(second, folder + "/model.pt");
  torch::load(two, folder + "/optimizer.pt");
  step(first, one);
  step(second, two);
  double difference = 0;
  const auto expected = first->parameters(), actual = second->parameters();
  for (size_t i = 0; i < expected.size(); ++i)
    difference = std::max(difference, (expected[i] - actual[i]).abs().max().item<double>());
  std::printf("%d %g\n", steps < 5000, difference);
  try {
    torch::load(fc, folder + "/model.pt");
    return 1;
  } catch (const c10::Error&) {
  }
  auto python = torch::nn::Sequential(torch::nn::Linear(2, 3), torch::nn::BatchNorm1d(3));
  torch::load(python, folder + "/python.pt");
  std::printf(
      "%g %g\n", python->parameters()[0].sum().item<double>(),
      python->buffers()[1].sum().item<double>());
}
