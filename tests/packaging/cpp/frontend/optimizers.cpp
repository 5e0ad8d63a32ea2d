// Runs each optimizer on a parameter and its gradients from the list of tensors in argv[1], and
// saves the parameter after the last step for each of them in argv[2].
#include <torch/torch.h>

#include <iostream>
#include <memory>

int main(int, char** argv) {
  try {
    std::vector<torch::Tensor> given;
    torch::load(given, argv[1]);
    using Made = std::function<std::unique_ptr<torch::optim::Optimizer>(torch::Tensor)>;
    const std::vector<Made> optimizers{
        [](auto p) {
          return std::make_unique<torch::optim::SGD>(
              std::vector{p}, torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.01));
        },
        [](auto p) {
          return std::make_unique<torch::optim::SGD>(
              std::vector{p}, torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
        },
        [](auto p) {
          return std::make_unique<torch::optim::Adam>(
              std::vector{p}, torch::optim::AdamOptions(0.1).weight_decay(0.1));
        },
        [](auto p) {
          return std::make_unique<torch::optim::AdamW>(
              std::vector{p}, torch::optim::AdamWOptions(0.1).weight_decay(0.1));
        },
    };
    std::vector<torch::Tensor> results;
    for (const auto& make : optimizers) {
      auto parameter = given[0].clone().set_requires_grad(true);
      const auto optimizer = make(parameter);
      torch::optim::StepLR schedule(*optimizer, /*step_size=*/2, /*gamma=*/0.5);
      for (size_t i = 1; i < given.size(); ++i) {
        optimizer->zero_grad();
        optimizer->step([&] {
          const auto loss = (parameter * given[i]).sum();
          loss.backward();
          return loss;
        });
        schedule.step();
      }
      results.push_back(parameter);
    }
    torch::save(results, argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what();
    return 1;
  }
}
