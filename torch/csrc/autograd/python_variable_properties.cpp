// The attributes of a tensor: shape, dtype, T, grad and the rest.
#include <ATen/ops/alias_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/imag_ops.h>
#include <ATen/ops/mT_ops.h>
#include <ATen/ops/numpy_T_ops.h>
#include <ATen/ops/real_ops.h>
#include <ATen/ops/transpose_ops.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/wrap.h>

namespace torch::autograd {
namespace {

const at::Tensor& unpack(PyObject* self) {
  return THPVariable_Unpack(self);
}

PyObject* shape(PyObject* self, void*) {
  return THPSize_New(unpack(self).sizes());
}
PyObject* dtype(PyObject* self, void*) {
  return Py_NewRef(THPDtype_Get(unpack(self).scalar_type()));
}
PyObject* device(PyObject* self, void*) {
  return THPDevice_New(unpack(self).device());
}
PyObject* layout(PyObject* self, void*) {
  return Py_NewRef(THPLayout_Get(unpack(self).layout()));
}
PyObject* ndim(PyObject* self, void*) {
  return PyLong_FromLongLong(unpack(self).dim());
}
PyObject* itemsize(PyObject* self, void*) {
  return PyLong_FromSize_t(unpack(self).itemsize());
}
PyObject* nbytes(PyObject* self, void*) {
  return PyLong_FromSize_t(unpack(self).nbytes());
}
PyObject* is_cpu(PyObject* self, void*) {
  return PyBool_FromLong(unpack(self).is_cpu());
}
PyObject* is_cuda(PyObject* self, void*) {
  return PyBool_FromLong(unpack(self).is_cuda());
}
PyObject* is_meta(PyObject* self, void*) {
  return PyBool_FromLong(unpack(self).is_meta());
}
PyObject* never(PyObject*, void*) {
  Py_RETURN_FALSE;
}
PyObject* always(PyObject*, void*) {
  Py_RETURN_TRUE;
}
PyObject* none(PyObject*, void*) {
  Py_RETURN_NONE;
}
PyObject* zero(PyObject*, void*) {
  return PyLong_FromLong(0);
}
PyObject* version(PyObject* self, void*) {
  return PyLong_FromLongLong(unpack(self)._version());
}
PyObject* requires_grad(PyObject* self, void*) {
  return PyBool_FromLong(unpack(self).requires_grad());
}

int set_requires_grad(PyObject*, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value || !PyBool_Check(value))
    throw_python(PyExc_RuntimeError, "requires_grad must be a bool");
  if (value == Py_True) refuse_requires_grad_now();
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

int set_grad(PyObject*, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (value && value != Py_None) {
    throw_python(
        PyExc_NotImplementedError, "gradients need autograd, which this build does not have yet");
  }
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* transposed(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(at::_ops::numpy_T::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* matrix_transposed(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(at::_ops::mT::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

// H and mH conjugate as well; without a conjugate operator they are for real tensors.
PyObject* adjoint(const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !tensor.is_complex(), "conjugation of complex tensors is not implemented");
  return wrap(at::_ops::transpose_int::call(tensor, -2, -1));
}

PyObject* hermitian(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const int64_t dim = unpack(self).dim();
  TORCH_CHECK(
      dim == 0 || dim == 2, "tensor.H is only supported on matrices (2-D tensors). Got ", dim,
      "-D tensor.", dim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return dim == 0 ? wrap(at::_ops::alias::call(unpack(self))) : adjoint(unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* matrix_hermitian(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  TORCH_CHECK(
      unpack(self).dim() >= 2,
      "tensor.mH is only supported on matrices or batches of matrices. Got ", unpack(self).dim(),
      "-D tensor.");
  return adjoint(unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* real(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(at::_ops::real::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* imag(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(at::_ops::imag::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* data(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  return wrap(at::_ops::detach::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

int set_data(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value || !THPVariable_Check(value)) {
    throw_python(
        PyExc_TypeError, "Variable data has to be a tensor, but got %s",
        value ? Py_TYPE(value)->tp_name : "nothing");
  }
  const at::Tensor& source = unpack(value);
  TORCH_CHECK(
      unpack(self).unsafeGetTensorImpl()->has_compatible_shallow_copy_type(source.key_set()),
      "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
      "incompatible "
      "tensor type.");
  unpack(self).unsafeGetTensorImpl()->shallow_copy_from(
      c10::intrusive_ptr<c10::TensorImpl>::reclaim_copy(source.unsafeGetTensorImpl()));
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

PyObject* names(PyObject* self, void*) {
  const Py_ssize_t dims = static_cast<Py_ssize_t>(unpack(self).dim());
  PyObject* tuple = PyTuple_New(dims);
  for (Py_ssize_t i = 0; tuple && i < dims; ++i)
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(Py_None));
  return tuple;
}

PyObject* backward_hooks(PyObject* self, void*) {
  PyObject* hooks = reinterpret_cast<THPVariable*>(self)->backward_hooks;
  return Py_NewRef(hooks ? hooks : Py_None);
}

int set_backward_hooks(PyObject* self, PyObject* value, void*) {
  PyObject*& hooks = reinterpret_cast<THPVariable*>(self)->backward_hooks;
  Py_XSETREF(hooks, value == Py_None ? nullptr : Py_XNewRef(value));
  if (hooks && !PyObject_GC_IsTracked(self)) PyObject_GC_Track(self);
  return 0;
}

PyGetSetDef property(const char* name, getter get, setter set = nullptr) {
  return {name, get, set, nullptr, nullptr};
}

} // namespace

PyGetSetDef variable_properties[] = {
    property("shape", shape),
    property("dtype", dtype),
    property("device", device),
    property("layout", layout),
    property("ndim", ndim),
    property("itemsize", itemsize),
    property("nbytes", nbytes),
    property("is_cpu", is_cpu),
    property("is_cuda", is_cuda),
    property("is_meta", is_meta),
    property("is_sparse", never),
    property("is_sparse_csr", never),
    property("is_quantized", never),
    property("is_mkldnn", never),
    property("is_nested", never),
    property("is_xpu", never),
    property("is_mps", never),
    property("is_ipu", never),
    property("is_xla", never),
    property("is_vulkan", never),
    property("is_maia", never),
    property("requires_grad", requires_grad, set_requires_grad),
    property("grad", none, set_grad),
    property("_grad", none, set_grad),
    property("grad_fn", none),
    property("_grad_fn", none),
    property("_base", none),
    property("name", none),
    property("retains_grad", never),
    property("is_leaf", always),
    property("output_nr", zero),
    property("_version", version),
    property("T", transposed),
    property("mT", matrix_transposed),
    property("H", hermitian),
    property("mH", matrix_hermitian),
    property("real", real),
    property("imag", imag),
    property("data", data, set_data),
    property("names", names),
    property("_backward_hooks", backward_hooks, set_backward_hooks),
    property(nullptr, nullptr)};

} // namespace torch::autograd
