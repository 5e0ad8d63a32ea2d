// The table of hooks, the answers of back ends that are not there, and the CPU's hooks.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/AcceleratorHooksInterface.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <atomic>

namespace at {

AcceleratorHooksInterface::~AcceleratorHooksInterface() = default;

void AcceleratorHooksInterface::init() const {}
void AcceleratorHooksInterface::setCurrentDevice(DeviceIndex) const {
  TORCH_CHECK(false, "Backend doesn't support setCurrentDevice()");
}
DeviceIndex AcceleratorHooksInterface::getCurrentDevice() const {
  TORCH_CHECK(false, "Backend doesn't support getCurrentDevice()");
}
DeviceIndex AcceleratorHooksInterface::exchangeDevice(DeviceIndex) const {
  TORCH_CHECK(false, "Backend doesn't support exchangeDevice()");
}
DeviceIndex AcceleratorHooksInterface::maybeExchangeDevice(DeviceIndex) const {
  TORCH_CHECK(false, "Backend doesn't support maybeExchangeDevice()");
}
bool AcceleratorHooksInterface::isPinnedPtr(const void*) const {
  return false;
}
c10::Allocator* AcceleratorHooksInterface::getPinnedMemoryAllocator() const {
  TORCH_CHECK(false, "Backend doesn't support getPinnedMemoryAllocator()");
}
Device AcceleratorHooksInterface::getDeviceFromPtr(void*) const {
  TORCH_CHECK(false, "Backend doesn't support getDeviceFromPtr()");
}
const Generator& AcceleratorHooksInterface::getDefaultGenerator(DeviceIndex) const {
  TORCH_CHECK(false, "Backend doesn't support getDefaultGenerator()");
}
Generator AcceleratorHooksInterface::getNewGenerator(DeviceIndex) const {
  TORCH_CHECK(false, "Backend doesn't support getNewGenerator()");
}

// ---- the table

namespace detail {

namespace {
constinit std::atomic<const AcceleratorHooksInterface*>
    hooks_of[c10::COMPILE_TIME_MAX_DEVICE_TYPES] = {};
}

void registerAcceleratorHooks(c10::DeviceType type, const AcceleratorHooksInterface* hooks) {
  hooks_of[static_cast<uint8_t>(type)].store(hooks, std::memory_order_release);
}

const AcceleratorHooksInterface* getAcceleratorHooksOrNull(c10::DeviceType type) {
  return hooks_of[static_cast<uint8_t>(type)].load(std::memory_order_acquire);
}

} // namespace detail

// ---- CUDA

namespace {

constexpr const char* kNoCUDA =
    " without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU "
    "library and a CUDA library; this error has occurred because you are trying to use some CUDA "
    "functionality, but the CUDA library has not been loaded by the dynamic linker for some "
    "reason.";

} // namespace

void CUDAHooksInterface::init() const {
  TORCH_CHECK(false, "Cannot initialize CUDA", kNoCUDA);
}
bool CUDAHooksInterface::hasPrimaryContext(DeviceIndex device_index) const {
  TORCH_CHECK(
      false, "Cannot call hasPrimaryContext(", static_cast<int>(device_index), ")", kNoCUDA);
}
const Generator& CUDAHooksInterface::getDefaultGenerator(DeviceIndex) const {
  TORCH_CHECK(false, "Cannot get default CUDA generator", kNoCUDA);
}
Generator CUDAHooksInterface::getNewGenerator(DeviceIndex) const {
  TORCH_CHECK(false, "Cannot get CUDA generator", kNoCUDA);
}
Device CUDAHooksInterface::getDeviceFromPtr(void*) const {
  TORCH_CHECK(false, "Cannot get device of pointer on CUDA", kNoCUDA);
}
c10::Allocator* CUDAHooksInterface::getPinnedMemoryAllocator() const {
  TORCH_CHECK(false, "Pinned memory requires CUDA.", kNoCUDA);
}
long CUDAHooksInterface::versionCuDNN() const {
  TORCH_CHECK(false, "Cannot query cuDNN version", kNoCUDA);
}
long CUDAHooksInterface::versionCUDART() const {
  TORCH_CHECK(false, "Cannot query CUDART version", kNoCUDA);
}
std::string CUDAHooksInterface::showConfig() const {
  TORCH_CHECK(false, "Cannot query detailed CUDA version", kNoCUDA);
}
void CUDAHooksInterface::deviceSynchronize(DeviceIndex) const {
  TORCH_CHECK(false, "Cannot synchronize CUDA device", kNoCUDA);
}

namespace detail {

const CUDAHooksInterface& getCUDAHooks() {
  static const CUDAHooksInterface absent;
  const auto* hooks = getAcceleratorHooksOrNull(c10::DeviceType::CUDA);
  return hooks ? static_cast<const CUDAHooksInterface&>(*hooks) : absent;
}

} // namespace detail

// ---- PrivateUse1

bool PrivateUse1HooksInterface::hasPrimaryContext(DeviceIndex) const {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false,
      "You should register `PrivateUse1HooksInterface` for PrivateUse1 before call "
      "`hasPrimaryContext`.");
}
const Generator& PrivateUse1HooksInterface::getDefaultGenerator(DeviceIndex) const {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false,
      "You should register `PrivateUse1HooksInterface` for PrivateUse1 before call "
      "`getDefaultGenerator`.");
}
Device PrivateUse1HooksInterface::getDeviceFromPtr(void*) const {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false,
      "You should register `PrivateUse1HooksInterface` for PrivateUse1 before call "
      "`getDeviceFromPtr`.");
}
c10::Allocator* PrivateUse1HooksInterface::getPinnedMemoryAllocator() const {
  TORCH_CHECK(
      false,
      "You should register `PrivateUse1HooksInterface` for PrivateUse1 before call "
      "`getPinnedMemoryAllocator`.");
}
void PrivateUse1HooksInterface::resizePrivateUse1Bytes(const c10::Storage&, size_t) const {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false,
      "You should register `PrivateUse1HooksInterface` for PrivateUse1 before call "
      "`resizePrivateUse1Bytes`.");
}

void RegisterPrivateUse1HooksInterface(PrivateUse1HooksInterface* hooks) {
  TORCH_CHECK(
      !isPrivateUse1HooksRegistered(), "PrivateUse1HooksInterface only could be registered once.");
  detail::registerAcceleratorHooks(c10::DeviceType::PrivateUse1, hooks);
}

bool isPrivateUse1HooksRegistered() {
  return detail::getAcceleratorHooksOrNull(c10::DeviceType::PrivateUse1) != nullptr;
}

namespace detail {

const PrivateUse1HooksInterface& getPrivateUse1Hooks() {
  const auto* hooks = getAcceleratorHooksOrNull(c10::DeviceType::PrivateUse1);
  TORCH_CHECK(
      hooks,
      "Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` first.");
  return static_cast<const PrivateUse1HooksInterface&>(*hooks);
}

} // namespace detail

// ---- the CPU, a back end like the others

namespace {

struct CPUHooks final : AcceleratorHooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return 1; }
  void setCurrentDevice(DeviceIndex) const override {}
  DeviceIndex getCurrentDevice() const override { return 0; }
  DeviceIndex exchangeDevice(DeviceIndex) const override { return 0; }
  DeviceIndex maybeExchangeDevice(DeviceIndex) const override { return 0; }
  const Generator& getDefaultGenerator(DeviceIndex) const override {
    return detail::getDefaultCPUGenerator();
  }
  Generator getNewGenerator(DeviceIndex) const override { return detail::createCPUGenerator(); }
};

const bool cpu_registered = [] {
  static const CPUHooks hooks;
  detail::registerAcceleratorHooks(c10::DeviceType::CPU, &hooks);
  return true;
}();

} // namespace
} // namespace at
