#pragma once
// The DLPack ABI (github.com/dmlc/dlpack, version 1.0), as far as tensors need it.
#include <ATen/core/Tensor.h>
#include <torch/csrc/python_headers.h>

#include <cstdint>
#include <optional>

extern "C" {

struct DLDevice {
  int32_t device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor*);
};
struct DLPackVersion {
  uint32_t major;
  uint32_t minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};

} // extern "C"

namespace torch {

// Returns a capsule that holds the tensor; `versioned` requests the 1.0 struct.
PyObject* tensor_to_dlpack(const at::Tensor& tensor, bool versioned);
// Where a tensor is, as DLPack numbers devices.
DLDevice dl_device(c10::Device device);
// Consumes a capsule.
at::Tensor tensor_from_dlpack(PyObject* capsule);
// The same for a capsule or an object with `__dlpack__`; nullopt for others.
std::optional<at::Tensor> tensor_from_dlpack_object(PyObject* object);

} // namespace torch
