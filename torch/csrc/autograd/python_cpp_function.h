#pragma once
// Nodes of the graph as Python objects, with one class per kind.
#include <torch/csrc/python_headers.h>

#include <torch/csrc/autograd/node.h>

namespace torch::autograd {

struct THPCppFunction {
  PyObject_HEAD c10::intrusive_ptr<Node> cdata;
};

// The Python class of one kind of nodes.
struct NodeClass {
  const char* kind; // typeid(T).name() of the nodes' C++ class
  const char* name;
  PyGetSetDef* attributes;      // those of this class alone; may be null
  PyTypeObject* type = nullptr; // created on first use, because most programs use only a few
};

// Adds the classes of a table that lives forever and ends with an empty row.
void add_node_classes(NodeClass* table);

// New references. A null node becomes None; a node has a single object as long as Python holds it.
PyObject* functionToPyObject(const c10::intrusive_ptr<Node>& node);

// Returns the node that an object represents; null if it represents none.
c10::intrusive_ptr<Node> node_of(PyObject* object);

// Visits the Python objects that only this node keeps alive.
int traverse_node(const c10::intrusive_ptr<Node>& node, visitproc visit, void* arg);

// The base of all node classes, with the members common to all nodes: edges, hooks, metadata.
extern PyTypeObject THPNodeType;

// `next_functions` of a node that multiplies by a number, say. PyTorch makes a tensor of the
// number, so programs expect the edge of a second tensor.
PyObject* next_functions_and_number(PyObject* self, void*);

bool THPNode_init();

// Adds the classes of all kinds of nodes.
void register_node_classes();

// Makes torch._C._functions with the classes of all nodes.
bool THPCppFunction_init(PyObject* module);

} // namespace torch::autograd
