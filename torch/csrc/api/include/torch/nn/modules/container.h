#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace torch::nn {

// A function as a layer: `Functional(torch::relu)`, or with more arguments,
// `Functional(torch::leaky_relu, 0.2)`.
class FunctionalImpl : public Module {
 public:
  using Function = std::function<Tensor(Tensor)>;

  explicit FunctionalImpl(Function function)
      : Module("torch::nn::Functional"), function_(std::move(function)) {}
  template <typename F, typename... Args, typename = std::enable_if_t<(sizeof...(Args) > 0)>>
  explicit FunctionalImpl(F original, Args... args)
      : FunctionalImpl(Function(
            [original, args...](Tensor input) { return original(std::move(input), args...); })) {}
  Tensor forward(Tensor input) { return function_(std::move(input)); }

 private:
  Function function_;
};
TORCH_MODULE(Functional);

// Modules that take and return one tensor, called one after the other. Their names are "0", "1",
// ... unless push_back gives others.
class SequentialImpl : public Module {
 public:
  SequentialImpl() : Module("torch::nn::Sequential") {}
  template <typename... Modules>
  explicit SequentialImpl(Modules&&... modules) : SequentialImpl() {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  template <typename ModuleType>
  requires std::is_base_of_v<Module, ModuleType>
  void push_back(std::string name, std::shared_ptr<ModuleType> module) {
    calls_.emplace_back(
        [raw = module.get()](Tensor input) { return raw->forward(std::move(input)); });
    register_module(std::move(name), std::move(module));
  }
  template <typename ModuleType>
  requires std::is_base_of_v<Module, ModuleType>
  void push_back(std::shared_ptr<ModuleType> module) {
    push_back(std::to_string(size()), std::move(module));
  }
  template <typename Contained>
  void push_back(std::string name, const ModuleHolder<Contained>& holder) {
    push_back(std::move(name), holder.ptr());
  }
  template <typename Contained>
  void push_back(const ModuleHolder<Contained>& holder) {
    push_back(holder.ptr());
  }
  // A module by value, which is moved into the container.
  template <typename ModuleType>
  requires std::is_base_of_v<Module, std::decay_t<ModuleType>>
  void push_back(ModuleType&& module) {
    using Type = std::decay_t<ModuleType>;
    push_back(std::make_shared<Type>(std::forward<ModuleType>(module)));
  }

  Tensor forward(Tensor input) {
    TORCH_CHECK(!calls_.empty(), "Cannot call forward() on an empty Sequential");
    for (const auto& call : calls_)
      input = call(std::move(input));
    return input;
  }

  size_t size() const noexcept { return calls_.size(); }
  bool is_empty() const noexcept { return calls_.empty(); }
  std::shared_ptr<Module> ptr(size_t index) const { return children().at(index); }
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }
  template <typename ModuleType>
  ModuleType& at(size_t index) {
    auto* found = dynamic_cast<ModuleType*>(ptr(index).get());
    TORCH_CHECK(found, "The module at index ", index, " has another type");
    return *found;
  }
  void pretty_print(std::ostream& stream) const override {
    stream << name() << "(\n";
    for (const auto& child : named_children()) {
      stream << "  (" << child.key() << "): " << *child.value() << "\n";
    }
    stream << ")";
  }

 private:
  std::vector<std::function<Tensor(Tensor)>> calls_;
};
TORCH_MODULE(Sequential);

// Modules in a list, which the owner calls.
class ModuleListImpl : public Module {
 public:
  ModuleListImpl() : Module("torch::nn::ModuleList") {}
  template <typename... Modules>
  explicit ModuleListImpl(Modules&&... modules) : ModuleListImpl() {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  void push_back(std::shared_ptr<Module> module) {
    register_module(std::to_string(size()), std::move(module));
  }
  template <typename Contained>
  void push_back(const ModuleHolder<Contained>& holder) {
    push_back(holder.ptr());
  }
  size_t size() const { return children().size(); }
  std::shared_ptr<Module> operator[](size_t index) const { return children().at(index); }
  std::shared_ptr<Module> ptr(size_t index) const { return children().at(index); }

 private:
};
TORCH_MODULE(ModuleList);

} // namespace torch::nn
