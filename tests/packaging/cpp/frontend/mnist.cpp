// The network of pytorch/examples for MNIST with the interface of the C++ front end: trains on the
// files in the folder argv[1], saves the model to argv[2], and prints the accuracy on the test
// images before and after.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <string>

struct Net : torch::nn::Module {
  Net()
      : conv1(torch::nn::Conv2dOptions(1, 10, /*kernel_size=*/5)),
        conv2(torch::nn::Conv2dOptions(10, 20, /*kernel_size=*/5)),
        fc1(320, 50),
        fc2(50, 10) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv2_drop", conv2_drop);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(conv2_drop->forward(conv2->forward(x)), 2));
    x = x.view({-1, 320});
    x = torch::relu(fc1->forward(x));
    x = torch::dropout(x, /*p=*/0.5, /*training=*/is_training());
    x = fc2->forward(x);
    return torch::log_softmax(x, /*dim=*/1);
  }

  torch::nn::Conv2d conv1;
  torch::nn::Conv2d conv2;
  torch::nn::Dropout2d conv2_drop;
  torch::nn::Linear fc1;
  torch::nn::Linear fc2;
};

template <typename DataLoader>
void train(
    Net& model, torch::Device device, DataLoader& data_loader, torch::optim::Optimizer& optimizer) {
  model.train();
  for (auto& batch : data_loader) {
    auto data = batch.data.to(device), targets = batch.target.to(device);
    optimizer.zero_grad();
    auto output = model.forward(data);
    auto loss = torch::nll_loss(output, targets);
    TORCH_CHECK(!std::isnan(loss.template item<float>()));
    loss.backward();
    optimizer.step();
  }
}

template <typename DataLoader>
double accuracy(Net& model, torch::Device device, DataLoader& data_loader) {
  torch::NoGradGuard no_grad;
  model.eval();
  int64_t correct = 0, count = 0;
  for (const auto& batch : data_loader) {
    auto data = batch.data.to(device), targets = batch.target.to(device);
    auto output = model.forward(data);
    auto pred = output.argmax(1);
    correct += pred.eq(targets).sum().template item<int64_t>();
    count += targets.size(0);
  }
  return static_cast<double>(correct) / static_cast<double>(count);
}

int main(int, char** argv) {
  torch::manual_seed(1);
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net model;
  model.to(device);
  const auto dataset = [&](torch::data::datasets::MNIST::Mode mode) {
    return torch::data::datasets::MNIST(argv[1], mode)
        .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
        .map(torch::data::transforms::Stack<>());
  };
  auto train_dataset = dataset(torch::data::datasets::MNIST::Mode::kTrain);
  const size_t train_size = train_dataset.size().value();
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(train_dataset), 32);
  auto test_loader = torch::data::make_data_loader(
      dataset(torch::data::datasets::MNIST::Mode::kTest),
      torch::data::DataLoaderOptions().batch_size(100).workers(2));
  const double before = accuracy(model, device, *test_loader);
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.05).momentum(0.5));
  for (int epoch = 0; epoch < 4; ++epoch)
    train(model, device, *train_loader, optimizer);
  torch::save(model, argv[2]);
  Net copy;
  torch::load(copy, argv[2]);
  std::printf(
      "%zu %.3f %.3f %.3f\n", train_size, before, accuracy(model, device, *test_loader),
      accuracy(copy, device, *test_loader));
}
