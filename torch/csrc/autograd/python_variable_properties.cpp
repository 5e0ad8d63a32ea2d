// Attributes of a tensor: shape, dtype, T, grad and others.
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
#include <torch/csrc/utils/torch_function.h>
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
PyObject* transposed(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (PyObject* result = property_override(self, "T")) return result;
  return wrap(at::_ops::numpy_T::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* matrix_transposed(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (PyObject* result = property_override(self, "mT")) return result;
  return wrap(at::_ops::mT::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

// H and mH also conjugate; without a conjugate operator they support only real tensors.
PyObject* adjoint(const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      !tensor.is_complex(), "conjugation of complex tensors is not implemented");
  return wrap(at::_ops::transpose_int::call(tensor, -2, -1));
}

PyObject* hermitian(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (PyObject* result = property_override(self, "H")) return result;
  const int64_t dim = unpack(self).dim();
  TORCH_CHECK(
      dim == 0 || dim == 2, "tensor.H is only supported on matrices (2-D tensors). Got ", dim,
      "-D tensor.", dim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return dim == 0 ? wrap(at::_ops::alias::call(unpack(self))) : adjoint(unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* matrix_hermitian(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (PyObject* result = property_override(self, "mH")) return result;
  TORCH_CHECK(
      unpack(self).dim() >= 2,
      "tensor.mH is only supported on matrices or batches of matrices. Got ", unpack(self).dim(),
      "-D tensor.");
  return adjoint(unpack(self));
  END_HANDLE_TH_ERRORS
}

PyObject* real(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (PyObject* result = property_override(self, "real")) return result;
  return wrap(at::_ops::real::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* imag(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  if (PyObject* result = property_override(self, "imag")) return result;
  return wrap(at::_ops::imag::call(unpack(self)));
  END_HANDLE_TH_ERRORS
}

PyObject* names(PyObject* self, void*) {
  const Py_ssize_t dims = static_cast<Py_ssize_t>(unpack(self).dim());
  PyObject* tuple = PyTuple_New(dims);
  for (Py_ssize_t i = 0; tuple && i < dims; ++i)
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(Py_None));
  return tuple;
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
    property("T", transposed),
    property("mT", matrix_transposed),
    property("H", hermitian),
    property("mH", matrix_hermitian),
    property("real", real),
    property("imag", imag),
    property("names", names),
    property(nullptr, nullptr)};

} // namespace torch::autograd
