#pragma once

// Binds modules of the C++ front end to Python, without any library but torch's:
//
//   TORCH_PYTHON_MODULE(TORCH_EXTENSION_NAME, m) {
//     torch::python::bind_module<Net>(m, "Net")
//         .def(torch::python::init<int64_t, int64_t>())
//         .def("forward", &Net::forward);
//   }
//
// Arguments and results have the types of operators' arguments and results: tensors, numbers, bool,
// strings, devices, dtypes, and lists, optionals and tuples of these.

#include <torch/csrc/utils/cpp_modules.h>

#include <torch/library.h>
#include <torch/nn/module.h>

#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace torch::python {

namespace detail {

class FrontEndModule final : public BoundModule {
 public:
  explicit FrontEndModule(std::shared_ptr<nn::Module> module) : module_(std::move(module)) {}

  nn::Module& module() { return *module_; }

  Named<at::Tensor> parameters() const override {
    return entries<at::Tensor>(module_->named_parameters(/*recurse=*/false));
  }
  Named<at::Tensor> buffers() const override {
    return entries<at::Tensor>(module_->named_buffers(/*recurse=*/false));
  }
  Named<BoundModulePtr> children() const override {
    Named<BoundModulePtr> children;
    for (const auto& item : module_->named_children())
      children.emplace_back(item.key(), std::make_shared<FrontEndModule>(item.value()));
    return children;
  }
  bool is_training() const override { return module_->is_training(); }
  void train(bool on) override { module_->train(on); }
  void zero_grad() override { module_->zero_grad(); }
  std::string text() const override {
    std::ostringstream text;
    text << *module_;
    return text.str();
  }

 private:
  template <typename T, typename Dict>
  static Named<T> entries(const Dict& dict) {
    Named<T> named;
    for (const auto& item : dict)
      named.emplace_back(item.pair());
    return named;
  }

  std::shared_ptr<nn::Module> module_;
};

} // namespace detail

// Stands for the constructor with these parameters.
template <typename... Args>
struct init {};

template <typename ModuleType>
class ModuleClass {
 public:
  ModuleClass(PyObject* module, const char* name) : type_(add_class(module, name)) {
    static_assert(std::is_base_of_v<nn::Module, ModuleType>, "only torch::nn::Modules are bound");
  }

  template <typename... Args>
  ModuleClass& def(init<Args...>) {
    add_constructor(type_, schema<void(Args...)>(), [](jit::Stack& stack) -> BoundModulePtr {
      std::shared_ptr<ModuleType> made;
      const auto make = [&](Args... args) {
        made = std::make_shared<ModuleType>(std::forward<Args>(args)...);
      };
      c10::impl::boxing<void(Args...)>::call(make, &stack);
      return std::make_shared<detail::FrontEndModule>(std::move(made));
    });
    return *this;
  }

  template <typename Class, typename Ret, typename... Args>
  ModuleClass& def(const char* name, Ret (Class::*method)(Args...)) {
    return def_call<Ret, Args...>(name, method);
  }
  template <typename Class, typename Ret, typename... Args>
  ModuleClass& def(const char* name, Ret (Class::*method)(Args...) const) {
    return def_call<Ret, Args...>(name, method);
  }

 private:
  template <typename Signature>
  static std::string schema() {
    return c10::impl::infer_schema<Signature>();
  }

  template <typename Ret, typename... Args, typename Member>
  ModuleClass& def_call(const char* name, Member method) {
    add_method(
        type_, name, schema<Ret(Args...)>(), [method](BoundModule& bound, jit::Stack& stack) {
          auto& module = static_cast<detail::FrontEndModule&>(bound).module();
          auto& self = dynamic_cast<ModuleType&>(module);
          const auto call = [&](Args... args) -> Ret {
            return (self.*method)(std::forward<Args>(args)...);
          };
          c10::impl::boxing<Ret(Args...)>::call(call, &stack);
        });
    return *this;
  }

  PyObject* type_;
};

// Adds a C++ function to a Python module; its arguments have no names in Python.
template <typename Ret, typename... Args>
void bind_function(
    PyObject* module, const char* name, Ret (*function)(Args...), const char* doc = "") {
  add_function(
      module, name, c10::impl::infer_schema<Ret(Args...)>(),
      [function](jit::Stack& stack) { c10::impl::boxing<Ret(Args...)>::call(function, &stack); },
      doc);
}

// Adds a Python class for the module type to a Python module.
template <typename ModuleType>
ModuleClass<ModuleType> bind_module(PyObject* module, const char* name) {
  return ModuleClass<ModuleType>(module, name);
}

} // namespace torch::python

// Defines the function that Python calls when it imports the extension module `name`.
#define TORCH_PYTHON_MODULE(name, variable) TORCH_PYTHON_MODULE_IMPL(name, variable)
#define TORCH_PYTHON_MODULE_IMPL(name, variable)                                \
  static void torch_python_module_##name(PyObject* variable);                   \
  extern "C" __attribute__((visibility("default"))) PyObject* PyInit_##name() { \
    return ::torch::python::make_module(#name, &torch_python_module_##name);    \
  }                                                                             \
  static void torch_python_module_##name(PyObject* variable)
