#include <torch/csrc/SparseTensors.h>

#include <ATen/EmptyTensor.h>
#include <ATen/native/SparseGather.h>
#include <torch/csrc/Device.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Layout.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/Tensor.h>
#include <torch/csrc/utils/gil.h>
#include <torch/csrc/utils/object_ptr.h>

namespace torch {
namespace {

at::TensorBase empty_of_layout(
    at::IntArrayRef size, at::ScalarType dtype, c10::Layout layout, c10::Device device) {
  return with_gil([&]() -> at::TensorBase {
    const THPObjectPtr module(checked(PyImport_ImportModule("torch.sparse._factories")));
    const THPObjectPtr sizes(checked(THPSize_New(size)));
    const THPObjectPtr place(checked(THPDevice_New(device)));
    const THPObjectPtr result(checked(PyObject_CallMethod(
        module.get(), "empty", "OOOO", sizes.get(), THPLayout_Get(layout), THPDtype_Get(dtype),
        place.get())));
    return THPVariable_Unpack(result.get());
  });
}

at::Tensor gather_backward(
    const at::Tensor& grad, at::IntArrayRef sizes, int64_t dim, const at::Tensor& index) {
  return with_gil([&]() -> at::Tensor {
    const THPObjectPtr module(checked(PyImport_ImportModule("torch.sparse._embedding")));
    const THPObjectPtr values(checked(THPVariable_Wrap(grad)));
    const THPObjectPtr shape(checked(THPSize_New(sizes)));
    const THPObjectPtr places(checked(THPVariable_Wrap(index)));
    const THPObjectPtr result(checked(PyObject_CallMethod(
        module.get(), "gather_backward", "OOLO", values.get(), shape.get(),
        static_cast<long long>(dim), places.get())));
    return THPVariable_Unpack(result.get());
  });
}

} // namespace

bool init_sparse_tensors(PyObject* /*module*/) {
  at::detail::set_empty_of_layout(empty_of_layout);
  at::native::set_sparse_gather_backward(gather_backward);
  return true;
}

} // namespace torch
