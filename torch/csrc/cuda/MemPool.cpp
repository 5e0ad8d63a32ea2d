#include <torch/csrc/cuda/MemPool.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAPluggableAllocator.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/Module.h>
#include <torch/csrc/utils/gil.h>

#include <thread>

namespace torch::cuda {

namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;

// The name of the capsules that hold allocators.
constexpr const char* kAllocator = "torch.cuda.allocator";

struct PoolOfDevice {
  c10::DeviceIndex device;
  c10::cuda::MempoolId_t id;
};

// (device, id) of a call; throws what Python raised if they are something else.
PoolOfDevice unpack(PyObject* args) {
  PyObject* device = nullptr;
  unsigned long long first = 0, second = 0;
  if (!PyArg_ParseTuple(args, "O(KK)", &device, &first, &second)) throw python_error();
  return {unpack_existing_device(device, "a memory pool"), {first, second}};
}

template <typename Body>
PyObject* with_pool(PyObject* args, Body body) {
  HANDLE_TH_ERRORS
  const PoolOfDevice pool = unpack(args);
  {
    const WithoutGil without_gil;
    body(pool);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* create_pool(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  PyObject *device = nullptr, *allocator = nullptr;
  if (!PyArg_ParseTuple(args, "OO:_cuda_createPool", &device, &allocator)) return nullptr;
  void* source = nullptr;
  if (allocator != Py_None) {
    source = PyCapsule_GetPointer(allocator, kAllocator);
    if (!source) return nullptr;
  }
  const c10::cuda::MempoolId_t id = Allocator::new_pool_id();
  Allocator::createPool(
      unpack_existing_device(device, "_cuda_createPool"), id,
      static_cast<Allocator::CUDAAllocator*>(source));
  return Py_BuildValue(
      "(KK)", static_cast<unsigned long long>(id.first),
      static_cast<unsigned long long>(id.second));
  END_HANDLE_TH_ERRORS
}

// For requests of the calling thread.
PyObject* begin_allocate(PyObject*, PyObject* args) {
  return with_pool(args, [](const PoolOfDevice& pool) {
    const auto owner = std::this_thread::get_id();
    Allocator::beginAllocateToPool(
        pool.device, pool.id, [owner](cudaStream_t) { return std::this_thread::get_id() == owner; },
        /*capture=*/false);
  });
}
PyObject* end_allocate(PyObject*, PyObject* args) {
  return with_pool(
      args, [](const PoolOfDevice& pool) { Allocator::endAllocateToPool(pool.device, pool.id); });
}
PyObject* release_pool(PyObject*, PyObject* args) {
  return with_pool(
      args, [](const PoolOfDevice& pool) { Allocator::releasePool(pool.device, pool.id); });
}
PyObject* empty_pool(PyObject*, PyObject* args) {
  return with_pool(
      args, [](const PoolOfDevice& pool) { Allocator::emptyPool(pool.device, pool.id); });
}
PyObject* pool_uses(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  const PoolOfDevice pool = unpack(args);
  return PyLong_FromLong(Allocator::poolUses(pool.device, pool.id));
  END_HANDLE_TH_ERRORS
}

// From the addresses of two C functions. It is never destroyed: its memory may outlive everything.
PyObject* custom_allocator(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  unsigned long long allocate = 0, release = 0;
  if (!PyArg_ParseTuple(args, "KK:_cuda_customAllocator", &allocate, &release)) return nullptr;
  using Pluggable = c10::cuda::CUDAPluggableAllocator;
  Allocator::CUDAAllocator* const allocator = new Pluggable(
      reinterpret_cast<Pluggable::Allocate>(allocate),
      reinterpret_cast<Pluggable::Release>(release));
  return PyCapsule_New(allocator, kAllocator, nullptr);
  END_HANDLE_TH_ERRORS
}

PyObject* change_current_allocator(PyObject*, PyObject* allocator) {
  HANDLE_TH_ERRORS
  void* const pointer = PyCapsule_GetPointer(allocator, kAllocator);
  if (!pointer) return nullptr;
  Allocator::change_allocator(static_cast<Allocator::CUDAAllocator*>(pointer));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef pool_methods[] = {
    {"_cuda_createPool", create_pool, METH_VARARGS, nullptr},
    {"_cuda_beginAllocateCurrentThreadToPool", begin_allocate, METH_VARARGS, nullptr},
    {"_cuda_endAllocateToPool", end_allocate, METH_VARARGS, nullptr},
    {"_cuda_releasePool", release_pool, METH_VARARGS, nullptr},
    {"_cuda_emptyPool", empty_pool, METH_VARARGS, nullptr},
    {"_cuda_poolUses", pool_uses, METH_VARARGS, nullptr},
    {"_cuda_customAllocator", custom_allocator, METH_VARARGS, nullptr},
    {"_cuda_changeCurrentAllocator", change_current_allocator, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
