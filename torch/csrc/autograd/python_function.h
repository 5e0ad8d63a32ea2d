#pragma once
// torch.autograd.Function: `ctx` and the node that represents its call in the graph.
// A ctx and its node stay together permanently. While Python has references to the ctx, it owns the
// node; when only the graph remains, the node owns the ctx, until Python asks for grad_fn again.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <vector>

namespace torch::autograd {

struct PyNode;

struct THPFunction {
  PyObject_HEAD PyObject* dict;
  PyObject* weakrefs;

  // Set by forward(): tuples or None.
  PyObject* needs_input_grad;
  PyObject* to_save;
  PyObject* saved_for_forward;
  PyObject* non_differentiable;
  PyObject* dirty_tensors;
  bool materialize_grads;

  c10::intrusive_ptr<PyNode> cdata; // null if the node was destroyed first
  bool borrowed;                    // the node owns this object, and cdata holds no reference
  std::vector<SavedVariable> saved_variables;
  bool has_freed_buffers;
  std::vector<bool> is_variable_input; // one per argument of forward
};

struct PyNode final : Node {
  variable_list apply(variable_list&& inputs) override;
  void release_variables() override;
  std::string name() const override;

 private:
  // Null once Python has finished with it.
  THPFunction* context() const { return reinterpret_cast<THPFunction*>(pyobj_slot()->pyobj()); }
};

bool THPFunction_Check(PyObject* object);
c10::intrusive_ptr<Node> THPFunction_node(PyObject* object);
// Returns the object that `node` owned, as a new reference that in turn owns the node.
PyObject* THPFunction_take_back(Node& node);
// Called when the node is destroyed; gives up its claim on the object.
void THPFunction_forget_node(PyObject* object);

// Function.apply.
PyObject* THPFunction_apply(
    PyObject* cls, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
// The same without looking for transforms.
PyObject* THPFunction_apply_untransformed(
    PyObject* cls, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
// Sets what apply() calls instead from now on.
PyObject* THPFunction_set_transformed_apply(PyObject* unused, PyObject* function);

bool THPFunction_initModule(PyObject* module);

} // namespace torch::autograd
