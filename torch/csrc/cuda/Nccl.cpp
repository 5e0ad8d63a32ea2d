#include <torch/csrc/cuda/Nccl.h>

#include <ATen/cuda/CUDANccl.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Stream.h>
#include <torch/csrc/utils/gil.h>

#include <memory>
#include <string>
#include <vector>

namespace torch::cuda {

namespace nccl = at::cuda::nccl;

namespace {

constexpr char kCapsule[] = "torch.cuda.nccl.Communicator";

at::Tensor unpack_tensor(PyObject* object) {
  if (!THPVariable_Check(object)) {
    throw_python(PyExc_TypeError, "expected a tensor, got %s", Py_TYPE(object)->tp_name);
  }
  return THPVariable_Unpack(object);
}

template <typename Unpack>
auto unpack_list(PyObject* list, Unpack unpack) {
  std::vector<decltype(unpack(list))> result;
  if (list == Py_None) return result;
  const THPObjectPtr items(checked(PySequence_Fast(list, "expected a sequence")));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    result.push_back(unpack(PySequence_Fast_GET_ITEM(items.get(), i)));
  }
  return result;
}

std::vector<at::Tensor> unpack_tensors(PyObject* list) {
  return unpack_list(list, unpack_tensor);
}

nccl::Ranks unpack_ranks(PyObject* streams, PyObject* comms) {
  nccl::Ranks ranks;
  ranks.streams = unpack_list(streams, [](PyObject* stream) {
    return stream == Py_None ? std::nullopt : std::optional(THCPStream_Unpack(stream));
  });
  ranks.communicators = unpack_list(comms, [](PyObject* capsule) {
    const void* const comm = PyCapsule_GetPointer(capsule, kCapsule);
    if (!comm) throw_python_error();
    return static_cast<const nccl::Communicator*>(comm);
  });
  return ranks;
}

PyObject* is_built(PyObject*, PyObject*) {
  return PyBool_FromLong(nccl::is_built());
}

PyObject* version(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyLong_FromUnsignedLongLong(nccl::version());
  END_HANDLE_TH_ERRORS
}

PyObject* version_suffix(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  return PyBytes_FromString(nccl::version_suffix().c_str());
  END_HANDLE_TH_ERRORS
}

PyObject* unique_id(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const std::string id = nccl::unique_id();
  return PyBytes_FromStringAndSize(id.data(), static_cast<Py_ssize_t>(id.size()));
  END_HANDLE_TH_ERRORS
}

void destroy_communicator(PyObject* capsule) {
  delete static_cast<nccl::Communicator*>(PyCapsule_GetPointer(capsule, kCapsule));
}

PyObject* init_rank(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  int ranks = 0, rank = 0;
  const char* id = nullptr;
  Py_ssize_t bytes = 0;
  if (!PyArg_ParseTuple(args, "iy#i:_nccl_init_rank", &ranks, &id, &bytes, &rank)) return nullptr;
  std::unique_ptr<nccl::Communicator> communicator;
  {
    const WithoutGil without_gil;
    communicator = nccl::init_rank(ranks, std::string(id, bytes), rank);
  }
  return PyCapsule_New(communicator.release(), kCapsule, destroy_communicator);
  END_HANDLE_TH_ERRORS
}

PyObject* all_reduce(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *inputs = nullptr, *outputs = nullptr, *streams = nullptr, *comms = nullptr;
  int op = 0;
  if (!PyArg_ParseTuple(args, "OOiOO:_nccl_all_reduce", &inputs, &outputs, &op, &streams, &comms)) {
    return nullptr;
  }
  nccl::all_reduce(
      unpack_tensors(inputs), unpack_tensors(outputs), op, unpack_ranks(streams, comms));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* reduce(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *inputs = nullptr, *output = nullptr, *streams = nullptr, *comms = nullptr;
  int root = 0, op = 0;
  if (!PyArg_ParseTuple(
          args, "OOiiOO:_nccl_reduce", &inputs, &output, &root, &op, &streams, &comms)) {
    return nullptr;
  }
  nccl::reduce(
      unpack_tensors(inputs), unpack_tensor(output), root, op, unpack_ranks(streams, comms));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* broadcast(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *tensors = nullptr, *streams = nullptr, *comms = nullptr;
  int root = 0;
  if (!PyArg_ParseTuple(args, "OiOO:_nccl_broadcast", &tensors, &root, &streams, &comms)) {
    return nullptr;
  }
  nccl::broadcast(unpack_tensors(tensors), root, unpack_ranks(streams, comms));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* all_gather(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *inputs = nullptr, *outputs = nullptr, *streams = nullptr, *comms = nullptr;
  if (!PyArg_ParseTuple(args, "OOOO:_nccl_all_gather", &inputs, &outputs, &streams, &comms)) {
    return nullptr;
  }
  nccl::all_gather(unpack_tensors(inputs), unpack_tensors(outputs), unpack_ranks(streams, comms));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* reduce_scatter(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *inputs = nullptr, *outputs = nullptr, *streams = nullptr, *comms = nullptr;
  int op = 0;
  if (!PyArg_ParseTuple(
          args, "OOiOO:_nccl_reduce_scatter", &inputs, &outputs, &op, &streams, &comms)) {
    return nullptr;
  }
  nccl::reduce_scatter(
      unpack_tensors(inputs), unpack_tensors(outputs), op, unpack_ranks(streams, comms));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef nccl_methods[] = {
    {"_nccl_is_built", is_built, METH_NOARGS, nullptr},
    {"_nccl_version", version, METH_NOARGS, nullptr},
    {"_nccl_version_suffix", version_suffix, METH_NOARGS, nullptr},
    {"_nccl_unique_id", unique_id, METH_NOARGS, nullptr},
    {"_nccl_init_rank", init_rank, METH_VARARGS, nullptr},
    {"_nccl_all_reduce", all_reduce, METH_VARARGS, nullptr},
    {"_nccl_reduce", reduce, METH_VARARGS, nullptr},
    {"_nccl_broadcast", broadcast, METH_VARARGS, nullptr},
    {"_nccl_all_gather", all_gather, METH_VARARGS, nullptr},
    {"_nccl_reduce_scatter", reduce_scatter, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
