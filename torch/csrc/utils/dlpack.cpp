#include <torch/csrc/utils/dlpack.h>

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/foreign_memory.h>
#include <torch/csrc/utils/object_ptr.h>

#include <memory>

namespace torch {
namespace {

// DLPack's numbers for device types.
struct DeviceRow {
  c10::DeviceType type;
  int32_t code;
};

constexpr DeviceRow kDevices[] = {{c10::kCPU, 1},    {c10::kCUDA, 2},         {c10::kOPENCL, 4},
                                  {c10::kVulkan, 7}, {c10::kMPS, 8},          {c10::kHIP, 10},
                                  {c10::kXPU, 14},   {c10::kPrivateUse1, 12}, {c10::kMAIA, 17}};

c10::Device device_of(const DLDevice& device) {
  for (const DeviceRow& row : kDevices) {
    if (row.code != device.device_type) continue;
    const bool only_one = row.type == c10::default_device_type;
    return {row.type, static_cast<c10::DeviceIndex>(only_one ? -1 : device.device_id)};
  }
  TORCH_CHECK_BUFFER(false, "Unsupported DLPack device type: ", device.device_type);
}

enum DLCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
  kFloat8E8M0FNU = 14,
  kFloat4E2M1FN = 17
};

struct Row {
  at::ScalarType type;
  DLCode code;
  uint8_t bits;
  uint16_t lanes = 1;
};

constexpr Row kRows[] = {
    {at::ScalarType::Bool, kBool, 8},
    {at::ScalarType::Byte, kUInt, 8},
    {at::ScalarType::Char, kInt, 8},
    {at::ScalarType::Short, kInt, 16},
    {at::ScalarType::Int, kInt, 32},
    {at::ScalarType::Long, kInt, 64},
    {at::ScalarType::UInt16, kUInt, 16},
    {at::ScalarType::UInt32, kUInt, 32},
    {at::ScalarType::UInt64, kUInt, 64},
    {at::ScalarType::Half, kFloat, 16},
    {at::ScalarType::Float, kFloat, 32},
    {at::ScalarType::Double, kFloat, 64},
    {at::ScalarType::BFloat16, kBfloat, 16},
    {at::ScalarType::ComplexHalf, kComplex, 32},
    {at::ScalarType::ComplexFloat, kComplex, 64},
    {at::ScalarType::ComplexDouble, kComplex, 128},
    {at::ScalarType::Float8_e4m3fn, kFloat8E4M3FN, 8},
    {at::ScalarType::Float8_e4m3fnuz, kFloat8E4M3FNUZ, 8},
    {at::ScalarType::Float8_e5m2, kFloat8E5M2, 8},
    {at::ScalarType::Float8_e5m2fnuz, kFloat8E5M2FNUZ, 8},
    {at::ScalarType::Float8_e8m0fnu, kFloat8E8M0FNU, 8},
    {at::ScalarType::Float4_e2m1fn_x2, kFloat4E2M1FN, 4, 2}};

DLDataType dl_type(at::ScalarType type) {
  for (const Row& row : kRows) {
    if (row.type == type) return {row.code, row.bits, row.lanes};
  }
  TORCH_CHECK_BUFFER(!c10::isBitsType(type), "Bit types are not supported by dlpack");
  TORCH_CHECK_BUFFER(false, "DLPack has no type for ", type);
}

at::ScalarType scalar_type(const DLDataType& type) {
  for (const Row& row : kRows) {
    if (row.code == type.code && row.bits == type.bits && row.lanes == type.lanes) return row.type;
  }
  TORCH_CHECK_BUFFER(type.lanes == 1, "PyTorch does not support lanes != 1");
  TORCH_CHECK_BUFFER(
      false, "Unsupported DLPack type: code ", static_cast<int>(type.code), ", bits ",
      static_cast<int>(type.bits));
}

// The data that a capsule owns: the struct that consumers see, followed by what it points to.
template <typename Managed>
struct Export {
  Managed managed;
  at::Tensor tensor;
  c10::SmallVector<int64_t, 6> shape, strides;
};

template <typename Managed>
void delete_export(Managed* managed) {
  delete static_cast<Export<Managed>*>(managed->manager_ctx);
}

template <typename Managed>
Managed* make_export(const at::Tensor& tensor) {
  TORCH_CHECK_BUFFER(
      tensor.layout() == at::kStrided, "Can't export tensors with layout other than torch.strided");
  const DLDevice device = dl_device(tensor.device());
  TORCH_CHECK(
      tensor.data_ptr() || tensor.numel() == 0, "DLPack export needs a tensor that has memory");
  TORCH_CHECK_BUFFER(!tensor.is_conj(), "Can't export tensors with the conjugate bit set");
  TORCH_CHECK_BUFFER(!tensor.is_neg(), "Can't export tensors with the negative bit set");
  auto owned = std::make_unique<Export<Managed>>();
  owned->tensor = tensor;
  owned->shape.append(tensor.sizes().begin(), tensor.sizes().end());
  owned->strides.append(tensor.strides().begin(), tensor.strides().end());
  owned->managed = {};
  owned->managed.manager_ctx = owned.get();
  owned->managed.deleter = delete_export<Managed>;
  owned->managed.dl_tensor = {
      tensor.data_ptr(),
      device,
      static_cast<int32_t>(tensor.dim()),
      dl_type(tensor.scalar_type()),
      owned->shape.data(),
      owned->strides.data(),
      0};
  return &owned.release()->managed;
}

constexpr const char* kName = "dltensor";
constexpr const char* kVersionedName = "dltensor_versioned";

// A capsule that was not consumed frees its contents; consumers rename the capsule.
template <typename Managed>
void delete_capsule(PyObject* capsule) {
  const char* name = std::is_same_v<Managed, DLManagedTensor> ? kName : kVersionedName;
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed->deleter) managed->deleter(managed);
}

template <typename Managed>
void release_import(void* context) {
  auto* managed = static_cast<Managed*>(context);
  if (managed->deleter) managed->deleter(managed);
}

template <typename Managed>
at::Tensor import(Managed* managed) {
  const DLTensor& source = managed->dl_tensor;
  const c10::Device device = device_of(source.device);
  const at::ScalarType type = scalar_type(source.dtype);
  const at::IntArrayRef sizes(source.shape, static_cast<size_t>(source.ndim));
  c10::SmallVector<int64_t, 6> strides(source.ndim, 1);
  for (int32_t i = source.ndim - 1; i >= 0; --i) {
    strides[i] = source.strides ? source.strides[i]
        : i + 1 < source.ndim   ? strides[i + 1] * std::max<int64_t>(sizes[i + 1], 1)
                                : 1;
  }
  return tensor_over_memory(
      static_cast<char*>(source.data) + source.byte_offset, sizes, strides, type, managed,
      release_import<Managed>, device);
}

} // namespace

DLDevice dl_device(c10::Device device) {
  for (const DeviceRow& row : kDevices) {
    if (row.type == device.type()) return {row.code, std::max<int32_t>(device.index(), 0)};
  }
  TORCH_CHECK_BUFFER(false, "Cannot pack tensors on ", device);
}

PyObject* tensor_to_dlpack(const at::Tensor& tensor, bool versioned) {
  if (!versioned) {
    auto* managed = make_export<DLManagedTensor>(tensor);
    return checked(PyCapsule_New(managed, kName, delete_capsule<DLManagedTensor>));
  }
  auto* managed = make_export<DLManagedTensorVersioned>(tensor);
  managed->version = {1, 0};
  return checked(PyCapsule_New(managed, kVersionedName, delete_capsule<DLManagedTensorVersioned>));
}

at::Tensor tensor_from_dlpack(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kVersionedName)) {
    auto* managed =
        static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersionedName));
    TORCH_CHECK_BUFFER(managed->version.major <= 1, "Unsupported DLPack version");
    at::Tensor tensor = import(managed);
    checked(PyCapsule_SetName(capsule, "used_dltensor_versioned"));
    return tensor;
  }
  if (!PyCapsule_IsValid(capsule, kName)) {
    throw_python(
        PyExc_RuntimeError,
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only "
        "once, so you might have already constructed a tensor from it once.");
  }
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  at::Tensor tensor = import(managed);
  checked(PyCapsule_SetName(capsule, "used_dltensor"));
  return tensor;
}

std::optional<at::Tensor> tensor_from_dlpack_object(PyObject* object) {
  if (PyCapsule_IsValid(object, kName) || PyCapsule_IsValid(object, kVersionedName)) {
    return tensor_from_dlpack(object);
  }
  if (!PyObject_HasAttrString(object, "__dlpack__")) return std::nullopt;
  const THPObjectPtr capsule(checked(PyObject_CallMethod(object, "__dlpack__", nullptr)));
  return tensor_from_dlpack(capsule.get());
}

} // namespace torch
