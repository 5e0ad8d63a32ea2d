#pragma once
// torch.autograd.Function: `ctx` and the node that stands for its call in the graph.
//
// A ctx and its node belong together for good. While Python has references to the ctx, it owns the
// node; when only the graph is left, the node owns the ctx, until Python asks for grad_fn again.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/node.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <vector>

namespace torch::autograd {

struct PyNode;

struct THPFunction {
  PyObject_HEAD PyObject* dict;
  PyObject* weakrefs;

  // What forward() tells: tuples or None.
  PyObject* needs_input_grad;
  PyObject* to_save;
  PyObject* saved_for_forward;
  PyObject* non_differentiable;
  PyObject* dirty_tensors;
  bool materialize_grads;

  c10::intrusive_ptr<PyNode> cdata; // null when the node died first
  bool borrowed;                    // the node owns this object, and cdata holds no reference
  std::vector<SavedVariable> saved_variables;
  bool has_freed_buffers;
  std::vector<bool> is_variable_input; // for each argument of forward
};

struct PyNode final : Node {
  variable_list apply(variable_list&& inputs) override;
  void release_variables() override;
  std::string name() const override;

 private:
  // Null when Python is done with it.
  THPFunction* context() const { return reinterpret_cast<THPFunction*>(pyobj_slot()->pyobj()); }
};

bool THPFunction_Check(PyObject* object);
c10::intrusive_ptr<Node> THPFunction_node(PyObject* object);
// The object that `node` owned, as a new reference that owns the node in turn.
PyObject* THPFunction_take_back(Node& node);
// The node dies, and with it its claim on the object.
void THPFunction_forget_node(PyObject* object);

// Function.apply.
PyObject* THPFunction_apply(
    PyObject* cls, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

bool THPFunction_initModule(PyObject* module);

} // namespace torch::autograd
