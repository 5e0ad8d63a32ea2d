#include <torch/csrc/cuda/Ipc.h>

#include <c10/cuda/CUDAIpc.h>
#include <torch/csrc/Storage.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Module.h>

#include <unistd.h>

#include <string>
#include <utility>

namespace torch::cuda {

namespace {

// (device, handle of the segment, offset) of a storage.
PyObject* share_storage(PyObject*, PyObject* storage) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(THPStorage_Check(storage), "expected an UntypedStorage");
  const c10::Storage& shared = reinterpret_cast<THPStorage*>(storage)->cdata;
  TORCH_CHECK(shared.device().is_cuda(), "expected a storage on a CUDA device");
  const c10::cuda::SharedBlock block = c10::cuda::share_block(shared.mutable_data_ptr());
  return Py_BuildValue(
      "(iy#n)", static_cast<int>(block.device), block.segment.data(),
      static_cast<Py_ssize_t>(block.segment.size()), static_cast<Py_ssize_t>(block.offset));
  END_HANDLE_TH_ERRORS
}

// A storage over the block of another process. Owns the descriptor, and closes it with the storage.
PyObject* open_storage(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject* device = nullptr;
  const char* segment = nullptr;
  Py_ssize_t segment_size = 0, offset = 0, bytes = 0;
  int fd = -1;
  if (!PyArg_ParseTuple(
          args, "Oy#nni:_cuda_openSharedStorage", &device, &segment, &segment_size, &offset, &bytes,
          &fd)) {
    return nullptr;
  }
  TORCH_CHECK(offset >= 0 && bytes >= 0, "A block has no negative offset or size.");
  lazy_init();
  const c10::cuda::SharedBlock block = {
      unpack_existing_device(device, "_cuda_openSharedStorage"),
      std::string(segment, static_cast<size_t>(segment_size)), static_cast<size_t>(offset)};
  c10::DataPtr data = c10::cuda::open_block(block, [fd] { ::close(fd); });
  return THPStorage_Wrap(c10::Storage(
      c10::Storage::use_byte_size_t(), static_cast<size_t>(bytes), std::move(data),
      /*allocator=*/nullptr, /*resizable=*/false));
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef ipc_methods[] = {
    {"_cuda_shareStorage", share_storage, METH_O, nullptr},
    {"_cuda_openSharedStorage", open_storage, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
