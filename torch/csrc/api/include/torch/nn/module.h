#pragma once

#include <torch/ordered_dict.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace torch::nn {

template <typename Contained>
class ModuleHolder;

// A layer or a network: parameters, buffers and other modules, by name. A class derived from it
// registers them in its constructor and defines `forward`.
class Module : public std::enable_shared_from_this<Module> {
 public:
  Module() : Module("Module") {}
  explicit Module(std::string name) : name_(std::move(name)) {}
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  virtual ~Module() = default;

  const std::string& name() const noexcept { return name_; }

  // Parameters and buffers of this module and, with `recurse`, of the modules in it.
  std::vector<Tensor> parameters(bool recurse = true) const {
    return named_parameters(recurse).values();
  }
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const {
    return collected(&Module::parameters_, recurse);
  }
  std::vector<Tensor> buffers(bool recurse = true) const { return named_buffers(recurse).values(); }
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const {
    return collected(&Module::buffers_, recurse);
  }

  std::vector<std::shared_ptr<Module>> children() const { return children_.values(); }
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }
  // The modules below this one, each before those in it.
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules() const {
    OrderedDict<std::string, std::shared_ptr<Module>> result;
    const std::function<void(const Module&, const std::string&)> visit =
        [&](const Module& module, const std::string& prefix) {
          for (const auto& child : module.children_) {
            result.insert(prefix + child.key(), child.value());
            visit(*child.value(), prefix + child.key() + ".");
          }
        };
    visit(*this, "");
    return result;
  }
  std::vector<std::shared_ptr<Module>> modules() const { return named_modules().values(); }

  // Calls the function with each module below this one, and then with this one.
  void apply(const std::function<void(Module&)>& function) {
    for (auto& child : children_)
      child.value()->apply(function);
    function(*this);
  }

  virtual void train(bool on = true) {
    for (auto& child : children_)
      child.value()->train(on);
    is_training_ = on;
  }
  void eval() { train(false); }
  bool is_training() const noexcept { return is_training_; }

  void zero_grad(bool set_to_none = true) {
    for (Tensor& parameter : parameters()) {
      if (set_to_none) {
        parameter.mutable_grad().reset();
      } else if (parameter.grad().defined()) {
        parameter.mutable_grad().detach_().zero_();
      }
    }
  }

  void to(Device device, bool non_blocking = false) {
    convert([&](const Tensor& tensor) { return tensor.to(device, non_blocking); });
  }
  void to(Dtype dtype, bool non_blocking = false) {
    convert([&](const Tensor& tensor) {
      return tensor.is_floating_point() ? tensor.to(dtype, non_blocking) : tensor;
    });
  }
  void to(Device device, Dtype dtype, bool non_blocking = false) {
    to(dtype, non_blocking);
    to(device, non_blocking);
  }

  // For modules whose copies share nothing; ModuleHolders of the members must be registered again
  // there.
  virtual void reset() {}
  virtual void pretty_print(std::ostream& stream) const { stream << name_; }

  template <typename ModuleType>
  ModuleType* as() noexcept {
    return dynamic_cast<ModuleType*>(this);
  }

  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true) {
    check_name(name);
    if (tensor.defined()) tensor.set_requires_grad(requires_grad);
    return parameters_.insert(std::move(name), std::move(tensor));
  }
  Tensor& register_buffer(std::string name, Tensor tensor) {
    check_name(name);
    return buffers_.insert(std::move(name), std::move(tensor));
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(
      std::string name, std::shared_ptr<ModuleType> module) {
    check_name(name);
    children_.insert(std::move(name), module);
    return module;
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(
      std::string name, ModuleHolder<ModuleType> module_holder) {
    return register_module(std::move(name), module_holder.ptr());
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(
      const std::string& name, std::shared_ptr<ModuleType> module) {
    children_[name] = module;
    return module;
  }

 private:
  using Tensors = OrderedDict<std::string, Tensor>;

  static void check_name(const std::string& name) {
    TORCH_CHECK(!name.empty(), "A parameter, buffer or module must not have an empty name");
    TORCH_CHECK(name.find('.') == std::string::npos, "A name must not contain a dot: '", name, "'");
  }

  OrderedDict<std::string, Tensor> collected(Tensors Module::*member, bool recurse) const {
    OrderedDict<std::string, Tensor> result;
    const auto add = [&](const Module& module, const std::string& prefix) {
      for (const auto& item : module.*member) {
        if (item.value().defined()) result.insert(prefix + item.key(), item.value());
      }
    };
    add(*this, "");
    if (recurse) {
      for (const auto& item : named_modules())
        add(*item.value(), item.key() + ".");
    }
    return result;
  }

  template <typename Function>
  void convert(const Function& converted) {
    const NoGradGuard guard;
    apply([&](Module& module) {
      for (auto* tensors : {&module.parameters_, &module.buffers_}) {
        for (auto& item : *tensors) {
          Tensor& tensor = item.value();
          if (!tensor.defined()) continue;
          tensor.set_data(converted(tensor));
          if (tensor.grad().defined()) tensor.mutable_grad().set_data(converted(tensor.grad()));
        }
      }
    });
  }

  Tensors parameters_{"Parameter"};
  Tensors buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};
  std::string name_;
  bool is_training_ = true;
};

inline std::ostream& operator<<(std::ostream& stream, const Module& module) {
  module.pretty_print(stream);
  return stream;
}

// A reference to a shared module, which a class `Name` of TORCH_MODULE(Name) derives from.
template <typename Contained>
class ModuleHolder {
 public:
  using ContainedType = Contained;

  ModuleHolder() : impl_(std::make_shared<Contained>()) {}
  ModuleHolder(std::nullptr_t) {} // NOLINT(google-explicit-constructor): an empty holder
  template <
      typename Head, typename... Tail,
      typename = std::enable_if_t<
          !(std::is_base_of_v<ModuleHolder, std::decay_t<Head>> && sizeof...(Tail) == 0) &&
          std::is_constructible_v<Contained, Head, Tail...>>>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(std::make_shared<Contained>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
  ModuleHolder(std::shared_ptr<Contained> module) // NOLINT(google-explicit-constructor)
      : impl_(std::move(module)) {}

  explicit operator bool() const noexcept { return !is_empty(); }
  bool is_empty() const noexcept { return impl_ == nullptr; }
  Contained* operator->() const { return get(); }
  Contained& operator*() const { return *get(); }
  const std::shared_ptr<Contained>& ptr() const {
    get();
    return impl_;
  }
  Contained* get() const {
    TORCH_CHECK(!is_empty(), "Accessing empty ModuleHolder");
    return impl_.get();
  }
  template <typename... Args>
  auto operator()(Args&&... args) const {
    return get()->forward(std::forward<Args>(args)...);
  }

 protected:
  std::shared_ptr<Contained> impl_;
};

} // namespace torch::nn

// Defines `Name`, a holder of the module class `NameImpl`.
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
#define TORCH_MODULE_IMPL(Name, ImplType)                  \
  class Name : public torch::nn::ModuleHolder<ImplType> {  \
   public:                                                 \
    using torch::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl = ImplType;                                 \
  }
