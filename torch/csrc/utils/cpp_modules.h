#pragma once
// Modules of the C++ front end as Python objects: what torch/python.h is made of. The front end is
// compiled into programs and extensions, so the library sees its modules only through BoundModule.
#include <torch/csrc/python_headers.h>

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace torch::python {

class BoundModule;
using BoundModulePtr = std::shared_ptr<BoundModule>;

class BoundModule {
 public:
  template <typename T>
  using Named = std::vector<std::pair<std::string, T>>;

  virtual ~BoundModule() = default;
  // Those of the module itself, without those of the modules in it.
  virtual Named<at::Tensor> parameters() const = 0;
  virtual Named<at::Tensor> buffers() const = 0;
  virtual Named<BoundModulePtr> children() const = 0;
  virtual bool is_training() const = 0;
  virtual void train(bool on) = 0;
  virtual void zero_grad() = 0;
  virtual std::string text() const = 0;
};

// Both take the call's arguments, converted to the types of the schema, from the stack.
using Constructor = std::function<BoundModulePtr(jit::Stack&)>;
// Leaves the results on the stack.
using Method = std::function<void(BoundModule&, jit::Stack&)>;

// Creates torch._C.cpp.nn.Module, the base of all bound classes.
bool init_bindings(PyObject* module);

// Adds a class derived from torch._C.cpp.nn.Module to a Python module, and returns a borrowed
// reference. It cannot be constructed until it has a constructor.
TORCH_API PyObject* add_class(PyObject* module, const char* name);
// A schema is that of an operator without a name: "(Tensor _0, int _1) -> Tensor".
TORCH_API void add_constructor(PyObject* type, const std::string& schema, Constructor constructor);
TORCH_API void add_method(
    PyObject* type, const std::string& name, const std::string& schema, Method method);

// Adds a function to a Python module.
using FreeFunction = std::function<void(jit::Stack&)>;
TORCH_API void add_function(
    PyObject* module, const std::string& name, const std::string& schema, FreeFunction function,
    const std::string& doc);

// Runs `fill` with a new Python module and returns the module; for PyInit_NAME.
TORCH_API PyObject* make_module(const char* name, void (*fill)(PyObject* module));

} // namespace torch::python
