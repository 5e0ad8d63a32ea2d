// The autograd attributes and methods of a tensor: grad, grad_fn, hooks and others.
#include <ATen/ops/detach_ops.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/autograd/python_cpp_function.h>
#include <torch/csrc/autograd/python_hook.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/torch_function.h>

#include <algorithm>

namespace torch::autograd {
namespace {

const at::Tensor& unpack(PyObject* self) {
  return THPVariable_Unpack(self);
}

// ---- grad
PyObject* grad(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const at::Tensor& tensor = unpack(self);
  const at::Tensor& grad = tensor.grad();
  if (grad.defined()) return wrap(grad);
  if (tensor.grad_fn() && !tensor.retains_grad()) {
    TORCH_WARN(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. "
        "If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor "
        "instead. See github.com/pytorch/pytorch/pull/30531 for more information.");
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

void check_grad(const at::Tensor& tensor, const at::Tensor& grad) {
  const auto dtype = impl::grad_dtype(tensor);
  TORCH_CHECK(
      !dtype || grad.scalar_type() == *dtype, "attempting to assign a gradient with dtype '",
      grad.dtype(), "' to a tensor with grad_dtype '", *dtype,
      "'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You "
      "can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any "
      "dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may "
      "break downstream systems that assume they match.");
  TORCH_CHECK(
      grad.device() == tensor.device(), "attempting to assign a gradient with device type '",
      grad.device(), "' to a tensor with device type '", tensor.device(),
      "'. Please ensure that the gradient and the tensor are on the same device");
  TORCH_CHECK(
      grad.sizes() == tensor.sizes(), "attempting to assign a gradient of size '", grad.sizes(),
      "' to a tensor of size '", tensor.sizes(),
      "'. Please ensure that the gradient and the tensor are the same size");
}

int set_grad(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  const at::Tensor& tensor = unpack(self);
  if (!value || value == Py_None) {
    if (tensor.unsafeGetTensorImpl()->autograd_meta()) tensor.mutable_grad().reset();
    return 0;
  }
  TORCH_CHECK_TYPE(
      THPVariable_Check(value),
      "assigned grad expected to be a Tensor or None but got grad of type ",
      Py_TYPE(value)->tp_name);
  TORCH_CHECK(self != value, "can't assign Variable as its own grad");
  check_grad(tensor, unpack(value));
  tensor.mutable_grad() = unpack(value);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* grad_dtype(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const at::Tensor& tensor = unpack(self);
  TORCH_CHECK(!tensor.grad_fn(), "grad_dtype can only be accessed on leaf tensors.");
  const auto dtype = impl::grad_dtype(tensor);
  return Py_NewRef(dtype ? THPDtype_Get(*dtype) : Py_None);
  END_HANDLE_TH_ERRORS
}

int set_grad_dtype(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  const at::Tensor& tensor = unpack(self);
  TORCH_CHECK(
      value, "grad_dtype cannot be deleted; set it to None to accept gradients of any dtype.");
  TORCH_CHECK(!tensor.grad_fn(), "grad_dtype can only be set on leaf tensors.");
  TORCH_CHECK(
      value == Py_None || THPDtype_Check(value),
      "grad_dtype must be a torch.dtype or None, but got ", Py_TYPE(value)->tp_name);
  std::optional<at::ScalarType> dtype;
  if (value != Py_None) dtype = unpack_dtype(value);
  TORCH_CHECK(
      !dtype || !tensor.requires_grad() || isDifferentiableType(*dtype),
      "grad_dtype of a tensor that requires a gradient must be a floating point or complex dtype, "
      "but got ",
      *dtype);
  TORCH_CHECK(
      !dtype || !tensor.grad().defined() || tensor.grad().scalar_type() == *dtype,
      "Cannot set grad_dtype to '", *dtype, "' because there is already a gradient with dtype '",
      tensor.grad().scalar_type(),
      "'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the new "
      "grad_dtype matches the existing gradient's dtype.");
  impl::set_grad_dtype(tensor, dtype);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

// ---- the place in the graph
PyObject* grad_fn(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return functionToPyObject(unpack(self).grad_fn());
  END_HANDLE_TH_ERRORS
}

// grad_fn() updates the history of a view, which may have changed with its base.
bool is_leaf_now(const at::Tensor& tensor) {
  return !tensor.grad_fn();
}

PyObject* is_leaf(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(is_leaf_now(unpack(self)));
  END_HANDLE_TH_ERRORS
}
PyObject* output_nr(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(unpack(self).output_nr());
  END_HANDLE_TH_ERRORS
}
PyObject* version(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(static_cast<int64_t>(unpack(self)._version()));
  END_HANDLE_TH_ERRORS
}
PyObject* base(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (!unpack(self).is_view()) Py_RETURN_NONE;
  return wrap(unpack(self)._base());
  END_HANDLE_TH_ERRORS
}
PyObject* name(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const std::string& name = unpack(self).name();
  if (name.empty()) Py_RETURN_NONE;
  return PyUnicode_FromString(name.c_str());
  END_HANDLE_TH_ERRORS
}
PyObject* retains_grad(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(unpack(self).retains_grad());
  END_HANDLE_TH_ERRORS
}

PyObject* requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(unpack(self).requires_grad());
}

int set_requires_grad(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value || !PyBool_Check(value))
    throw_python(PyExc_RuntimeError, "requires_grad must be a bool");
  const at::Tensor& tensor = unpack(self);
  const bool wanted = value == Py_True;
  TORCH_CHECK(
      is_leaf_now(tensor), "you can only change requires_grad flags of leaf variables.",
      wanted ? ""
             : " If you want to use a computed variable in a subgraph that doesn't require "
               "differentiation use var_no_grad = var.detach().");
  TORCH_CHECK(
      !wanted || isDifferentiableType(tensor.scalar_type()),
      "only Tensors of floating point and complex dtype can require gradients");
  tensor.set_requires_grad(wanted);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

// ---- data
PyObject* data(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const at::Tensor& tensor = unpack(self);
  // Forward mode keeps the tangents of data that the engine copies, but not of a program's.
  if (tensor.unsafeGetTensorImpl()->is_python_dispatch()) {
    return wrap(at::_ops::detach::call(tensor));
  }
  return wrap(tensor.variable_data());
  END_HANDLE_TH_ERRORS
}

// Only the objects of sparse tensors know their layout: in C++ they are wrappers.
bool same_layout(PyObject* a, PyObject* b) {
  const auto is_wrapper = [](PyObject* object) {
    return unpack(object).unsafeGetTensorImpl()->is_python_dispatch();
  };
  if (!is_wrapper(a) && !is_wrapper(b)) return true;
  const THPObjectPtr one(PyObject_GetAttrString(a, "layout"));
  const THPObjectPtr other(PyObject_GetAttrString(b, "layout"));
  if (!one || !other) throw python_error();
  return one.get() == other.get();
}

int set_data(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(value, "Deleting tensor data is not allowed. Delete tensor instead!");
  TORCH_CHECK_TYPE(
      THPVariable_Check(value), "Variable data has to be a tensor, but got ",
      Py_TYPE(value)->tp_name);
  TORCH_CHECK(same_layout(self, value), impl::kIncompatibleData);
  unpack(self).set_data(unpack(value));
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

// ---- hooks

// The hooks of an earlier version of the tensor belong to its node of then: an in-place change has
// removed them from the tensor.
PyObject* backward_hooks(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  PyObject*& hooks = reinterpret_cast<THPVariable*>(self)->backward_hooks;
  if (hooks) {
    const auto& current = impl::hooks(unpack(self));
    const bool stale = std::none_of(current.begin(), current.end(), [](const auto& hook) {
      return dynamic_cast<PyFunctionTensorPreHook*>(hook.get());
    });
    if (stale) Py_CLEAR(hooks);
  }
  return Py_NewRef(hooks ? hooks : Py_None);
  END_HANDLE_TH_ERRORS
}

int set_backward_hooks(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(value, "Deletion of _backward_hooks not allowed!");
  PyObject* hooks = value == Py_None ? nullptr : value;
  const at::Tensor& tensor = unpack(self);
  impl::clear_hooks(tensor);
  if (hooks) impl::add_hook(tensor, std::make_unique<PyFunctionTensorPreHook>(hooks, 0));
  Py_XSETREF(reinterpret_cast<THPVariable*>(self)->backward_hooks, Py_XNewRef(hooks));
  if (hooks) THPVariable_Track(self);
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* post_accumulate_grad_hooks(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  auto* hooks = dynamic_cast<PyFunctionTensorPostAccGradHooks*>(
      impl::post_acc_grad_hooks(unpack(self)).get());
  return Py_NewRef(hooks ? hooks->dict.get() : Py_None);
  END_HANDLE_TH_ERRORS
}

int set_post_accumulate_grad_hooks(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(value, "Deletion of _post_accumulate_grad_hooks not allowed!");
  std::unique_ptr<PostAccumulateGradHook> hooks;
  if (value != Py_None) {
    hooks = std::make_unique<PyFunctionTensorPostAccGradHooks>(value);
    THPVariable_Track(self);
  }
  impl::set_post_acc_grad_hooks(unpack(self), std::move(hooks));
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

// ---- methods
PyObject* detach(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) {
    if (PyObject* result = method_override(self, "detach")) return result;
  }
  return wrap(at::_ops::detach::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* detach_(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  at::_ops::detach_::call(THPVariable_UnpackMutable(self));
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* requires_grad_(
    PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"requires_grad", ParameterType::Bool, kHasDefault, 0}};
  static constexpr Signature signatures[] = {
      {"(bool requires_grad = True)", parameters, 1, 1, false}};
  static constexpr PythonArgParser parser("requires_grad_", signatures, 1, kMethod);
  ParsedArgs<1> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  const at::Tensor& tensor = unpack(self);
  const bool wanted = r.boolean(0, true);
  TORCH_CHECK(
      wanted || is_leaf_now(tensor),
      "you can only change requires_grad flags of leaf variables. If you want to use a computed "
      "variable in a subgraph that doesn't require differentiation use var_no_grad = "
      "var.detach().");
  TORCH_CHECK(
      !wanted || isDifferentiableType(tensor.scalar_type()),
      "only Tensors of floating point dtype can require gradients");
  tensor.set_requires_grad(wanted);
  return Py_NewRef(self);
  END_HANDLE_TH_ERRORS
}

PyObject* retain_grad(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  unpack(self).retain_grad();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* is_view(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return wrap(unpack(self).is_view());
  END_HANDLE_TH_ERRORS
}
PyObject* is_inference(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  return wrap(unpack(self).is_inference());
  END_HANDLE_TH_ERRORS
}

PyGetSetDef property(const char* name, const char* doc, getter get, setter set = nullptr) {
  return {name, get, set, doc, nullptr};
}

} // namespace

PyGetSetDef variable_autograd_properties[] = {
    property(
        "grad",
        "Return the gradient that backward() has added up, or None; it can be set and deleted.\n"
        "\n"
        "Only leaves have one, and tensors on which :meth:`Tensor.retain_grad` was called.\n"
        "\n"
        "Example:\n"
        "    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
        "    >>> x.square().sum().backward()\n"
        "    >>> x.grad\n"
        "    tensor([2., 4.])",
        grad, set_grad),
    property("_grad", nullptr, grad, set_grad),
    property(
        "grad_dtype",
        "Return the dtype that backward() casts gradients of this leaf to, None if any is kept.\n"
        "\n"
        "It is the tensor's own until another one is set. An assigned gradient must have it too.\n"
        "\n"
        "Raises:\n"
        "    RuntimeError: If the tensor is not a leaf, or already has a gradient of another "
        "dtype.\n"
        "\n"
        "Example:\n"
        "    >>> x = torch.ones(1, dtype=torch.bfloat16, requires_grad=True)\n"
        "    >>> x.grad_dtype = torch.float32\n"
        "    >>> (x * 2).sum().backward()\n"
        "    >>> x.grad\n"
        "    tensor([2.])",
        grad_dtype, set_grad_dtype),
    property(
        "grad_fn", "Return the node of the graph that computed the tensor, or None for a leaf.",
        grad_fn),
    property("_grad_fn", nullptr, grad_fn),
    property(
        "is_leaf",
        "Return whether no recorded operation computed the tensor.\n"
        "\n"
        "A tensor that does not require a gradient is a leaf too.",
        is_leaf),
    property(
        "output_nr", "Return which result of its node the tensor is, counted from 0.", output_nr),
    property("_version", nullptr, version),
    property("_base", nullptr, base),
    property("name", "Return the tensor's name, or None: no function sets one.", name),
    property(
        "retains_grad",
        "Return whether backward() keeps the gradient of this tensor, which is not a leaf.",
        retains_grad),
    property(
        "requires_grad",
        "Return whether operations on the tensor are recorded for gradients; a leaf can be set.\n"
        "\n"
        "Raises:\n"
        "    RuntimeError: If it is set on a tensor that is not a leaf, or whose dtype is neither\n"
        "        floating-point nor complex.",
        requires_grad, set_requires_grad),
    property(
        "data",
        "Return a tensor over the same memory that is not part of the graph.\n"
        "\n"
        "Changes of it escape the checks of gradients; :meth:`Tensor.detach` is safer. Assigning "
        "another\n"
        "tensor replaces the memory, the shape and the dtype.",
        data, set_data),
    property("_backward_hooks", nullptr, backward_hooks, set_backward_hooks),
    property(
        "_post_accumulate_grad_hooks", nullptr, post_accumulate_grad_hooks,
        set_post_accumulate_grad_hooks),
    property(nullptr, nullptr, nullptr)};

PyMethodDef variable_autograd_methods[] = {
    {"detach", detach, METH_NOARGS,
     "detach() -> Tensor\n"
     "\n"
     "Return a view that does not take part in the computation of gradients.\n"
     "\n"
     "See :func:`torch.detach`."},
    {"detach_", detach_, METH_NOARGS,
     "detach_() -> Tensor\n"
     "\n"
     "Remove the tensor from the graph that computed it, which makes it a leaf.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the tensor is a view."},
    {"requires_grad_", method(requires_grad_), METH_FASTCALL | METH_KEYWORDS,
     "requires_grad_(requires_grad=True) -> Tensor\n"
     "\n"
     "Set whether operations on the tensor are recorded for gradients, and return the tensor.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the tensor is not a leaf, or if its dtype is neither floating-point "
     "nor\n"
     "        complex.\n"
     "\n"
     "Example:\n"
     "    >>> torch.zeros(2).requires_grad_()\n"
     "    tensor([0., 0.], requires_grad=True)"},
    {"retain_grad", retain_grad, METH_NOARGS,
     "retain_grad() -> None\n"
     "\n"
     "Keep the gradient of a tensor that is not a leaf in `grad`; nothing changes for a leaf.\n"
     "\n"
     "Raises:\n"
     "    RuntimeError: If the tensor does not require a gradient."},
    {"_is_view", is_view, METH_NOARGS, nullptr},
    {"is_inference", is_inference, METH_NOARGS,
     "is_inference() -> bool\n"
     "\n"
     "Return whether the tensor was created in inference mode."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::autograd
