// The guard, streams and events, the hooks, and a generator of the device. Work is done when a call
// returns, so streams only count.

#include "memory.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

namespace private_device {

namespace {

constexpr auto kType = c10::DeviceType::PrivateUse1;

struct Event {
  int64_t time;
};

std::atomic<int64_t> clock_{0};
std::atomic<int64_t> next_stream{1};
thread_local std::array<c10::StreamId, kDevices> current_streams{};

struct GuardImpl final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device old = getDevice();
    set_current_device(device.index());
    return old;
  }
  c10::Device getDevice() const override { return {kType, current_device()}; }
  void setDevice(c10::Device device) const override { set_current_device(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    set_current_device(device.index());
  }
  c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }

  c10::Stream getStream(c10::Device device) const override {
    const c10::DeviceIndex index = device.has_index() ? device.index() : current_device();
    return {c10::Stream::UNSAFE, c10::Device(kType, index), current_streams[index]};
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return {c10::Stream::DEFAULT, device};
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    const c10::DeviceIndex index = device.has_index() ? device.index() : current_device();
    return {c10::Stream::UNSAFE, c10::Device(kType, index), next_stream++};
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const c10::Stream old = getStream(stream.device());
    current_streams[old.device_index()] = stream.id();
    return old;
  }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeDevice(c10::DeviceIndex) const override {}

  void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
    if (*event == nullptr) *event = new Event;
    static_cast<Event*>(*event)->time = ++clock_;
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  double elapsedTime(void* first, void* second, c10::DeviceIndex) const override {
    return static_cast<double>(
        static_cast<Event*>(second)->time - static_cast<Event*>(first)->time);
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, GuardImpl)

// A generator whose whole state is its seed.
struct GeneratorImpl final : c10::GeneratorImpl {
  explicit GeneratorImpl(c10::DeviceIndex index)
      : c10::GeneratorImpl(
            c10::Device(kType, index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}
  void set_current_seed(uint64_t seed) override { seed_ = seed; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override { return seed_ = c10::detail::getNonDeterministicRandom(); }
  void set_state(const c10::TensorImpl& state) override {
    std::memcpy(&seed_, state.data(), sizeof(seed_));
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::TensorBase state = at::detail::empty_cpu({sizeof(seed_)}, c10::ScalarType::Byte);
    std::memcpy(state.mutable_data_ptr(), &seed_, sizeof(seed_));
    return state.getIntrusivePtr();
  }
  GeneratorImpl* clone_impl() const override {
    auto copy = c10::make_intrusive<GeneratorImpl>(device_.index());
    copy->seed_ = seed_;
    return copy.release();
  }

 private:
  uint64_t seed_ = c10::default_rng_seed_val;
};

// Host memory that the device "can reach": the allocator knows its blocks.
class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* data = c10::alloc_cpu(bytes);
    const std::lock_guard<std::mutex> lock(mutex());
    blocks().insert(data);
    return {data, data, &release, c10::Device(c10::kCPU)};
  }
  void copy_data(void* destination, const void* source, size_t bytes) const override {
    default_copy_data(destination, source, bytes);
  }
  static bool owns(const void* data) {
    const std::lock_guard<std::mutex> lock(mutex());
    return blocks().count(const_cast<void*>(data)) != 0;
  }

 private:
  static void release(void* data) {
    const std::lock_guard<std::mutex> lock(mutex());
    blocks().erase(data);
    c10::free_cpu(data);
  }
  static std::mutex& mutex() {
    static std::mutex* instance = new std::mutex;
    return *instance;
  }
  static std::set<void*>& blocks() {
    static auto* instance = new std::set<void*>;
    return *instance;
  }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return kDevices; }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_current_device(device); }
  c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    static const std::array<at::Generator, kDevices> generators{
        at::make_generator<GeneratorImpl>(0), at::make_generator<GeneratorImpl>(1)};
    return generators.at(static_cast<size_t>(index < 0 ? current_device() : index));
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return at::make_generator<GeneratorImpl>(index < 0 ? current_device() : index);
  }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    static PinnedAllocator allocator;
    return &allocator;
  }
  bool isPinnedPtr(const void* data) const override { return PinnedAllocator::owns(data); }
  c10::Device getDeviceFromPtr(void* data) const override { return {kType, device_of(data)}; }
};

const bool hooks_registered = [] {
  static Hooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
  return true;
}();

} // namespace
} // namespace private_device
