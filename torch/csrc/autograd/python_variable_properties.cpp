// Attributes of a tensor: shape, dtype, T, grad and others.
#include <ATen/ops/conj_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/detach_ops.h>
#include <ATen/ops/fill_ops.h>
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
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/object_ptr.h>
#include <torch/csrc/utils/tensor_new.h>
#include <torch/csrc/utils/torch_function.h>

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
// The address of the tensor behind the object, by which programs compare tensors.
PyObject* cdata(PyObject* self, void*) {
  return PyLong_FromVoidPtr(unpack(self).unsafeGetTensorImpl());
}

PyObject* never(PyObject*, void*) {
  Py_RETURN_FALSE;
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

PyObject* adjoint(const at::Tensor& tensor) {
  return wrap(at::_ops::conj::call(at::_ops::transpose_int::call(tensor, -2, -1)));
}

PyObject* hermitian(PyObject* self, void*) {
  HANDLE_TH_ERRORS
  const int64_t dim = unpack(self).dim();
  TORCH_CHECK(
      dim == 0 || dim == 2, "tensor.H is only supported on matrices (2-D tensors). Got ", dim,
      "-D tensor.", dim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return dim == 0 ? wrap(at::_ops::conj::call(unpack(self))) : adjoint(unpack(self));
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

// Writes the parts of a tensor; `value` is a tensor or a number.
template <at::Tensor (*parts_of)(const at::Tensor&)>
int set_parts(PyObject* self, PyObject* value, void*) {
  HANDLE_TH_ERRORS
  if (!value) throw_python(PyExc_AttributeError, "the parts of a tensor cannot be deleted");
  at::Tensor parts = parts_of(unpack(self));
  if (THPVariable_Check(value)) {
    at::_ops::copy_::call(parts, unpack(value), false);
  } else {
    at::_ops::fill__Scalar::call(parts, unpack_scalar(value));
  }
  return 0;
  END_HANDLE_TH_ERRORS_RET(-1)
}

at::Tensor real_parts(const at::Tensor& tensor) {
  return at::_ops::real::call(tensor);
}
at::Tensor imaginary_parts(const at::Tensor& tensor) {
  return at::_ops::imag::call(tensor);
}

PyObject* names(PyObject* self, void*) {
  const Py_ssize_t dims = static_cast<Py_ssize_t>(unpack(self).dim());
  PyObject* tuple = PyTuple_New(dims);
  for (Py_ssize_t i = 0; tuple && i < dims; ++i)
    PyTuple_SET_ITEM(tuple, i, Py_NewRef(Py_None));
  return tuple;
}

PyGetSetDef property(const char* name, const char* doc, getter get, setter set = nullptr) {
  return {name, get, set, doc, nullptr};
}

} // namespace

PyGetSetDef variable_properties[] = {
    property(
        "shape",
        "Return the sizes of all dimensions, a torch.Size. The same as :meth:`Tensor.size`.\n"
        "\n"
        "Example:\n"
        "    >>> torch.zeros(2, 3).shape\n"
        "    torch.Size([2, 3])",
        shape),
    property(
        "dtype",
        "Return the type of the elements, a torch.dtype.\n"
        "\n"
        "Example:\n"
        "    >>> torch.tensor([1.5]).dtype\n"
        "    torch.float32",
        dtype),
    property(
        "device",
        "Return the device whose memory holds the elements, a torch.device.\n"
        "\n"
        "Example:\n"
        "    >>> torch.zeros(1).device\n"
        "    device(type='cpu')",
        device),
    property(
        "layout", "Return the layout of the elements in memory, such as torch.strided.", layout),
    property("ndim", "Return the number of dimensions. The same as :meth:`Tensor.dim`.", ndim),
    property("itemsize", "Return the size of one element in bytes.", itemsize),
    property(
        "nbytes", "Return the size of all elements in bytes, whether or not views share them.",
        nbytes),
    property("_cdata", nullptr, cdata),
    property("is_cpu", "Return whether the device is a CPU.", is_cpu),
    property("is_cuda", "Return whether the device is a CUDA device.", is_cuda),
    property(
        "is_meta",
        "Return whether the tensor has a shape and a dtype but no data: it is on the device meta.",
        is_meta),
    property("is_sparse", "Return whether the layout is torch.sparse_coo.", never),
    property("is_sparse_csr", "Return whether the layout is torch.sparse_csr.", never),
    property("is_quantized", "Return whether the elements are quantized numbers.", never),
    property("is_mkldnn", "Return whether the layout is that of oneDNN.", never),
    property(
        "is_nested", "Return whether the tensor is a list of tensors of different shapes.", never),
    property("is_xpu", "Return whether the device is an XPU.", never),
    property("is_mps", "Return whether the device is an MPS device.", never),
    property("is_ipu", "Return whether the device is an IPU.", never),
    property("is_xla", "Return whether the device is an XLA device.", never),
    property("is_vulkan", "Return whether the device is a Vulkan device.", never),
    property("is_maia", "Return whether the device is a MAIA device.", never),
    property("is_mtia", "Return whether the device is an MTIA device.", never),
    property(
        "T",
        "Return a view with the order of the dimensions reversed; for matrices, the transpose.\n"
        "\n"
        "Example:\n"
        "    >>> torch.tensor([[1, 2], [3, 4]]).T\n"
        "    tensor([[1, 3],\n"
        "            [2, 4]])",
        transposed),
    property(
        "mT",
        "Return a view with the last two dimensions swapped: the transpose of each matrix.\n"
        "\n"
        "Raises:\n"
        "    RuntimeError: If there are fewer than two dimensions.",
        matrix_transposed),
    property(
        "H",
        "Return the conjugate transpose of a matrix, a view.\n"
        "\n"
        "Raises:\n"
        "    RuntimeError: If there are dimensions, but not two.",
        hermitian),
    property(
        "mH",
        "Return the conjugate transpose of each matrix, a view.\n"
        "\n"
        "Raises:\n"
        "    RuntimeError: If there are fewer than two dimensions.",
        matrix_hermitian),
    property(
        "real",
        "Return the real parts, a view; a real tensor is returned as it is.\n"
        "\n"
        "See :func:`torch.real`. Assigning a tensor or a number writes the parts.\n"
        "\n"
        "Example:\n"
        "    >>> x = torch.tensor([1 + 2j, 3 - 1j])\n"
        "    >>> x.real = 5\n"
        "    >>> x\n"
        "    tensor([5.+2.j, 5.-1.j])",
        real, set_parts<real_parts>),
    property(
        "imag",
        "Return the imaginary parts of a complex tensor, a view.\n"
        "\n"
        "See :func:`torch.imag`. Assigning a tensor or a number writes the parts.",
        imag, set_parts<imaginary_parts>),
    property(
        "names",
        "Return the names of the dimensions: None for each, since there are no named tensors here.",
        names),
    property(nullptr, nullptr, nullptr)};

} // namespace torch::autograd
