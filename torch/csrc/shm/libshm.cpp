#include <torch/csrc/shm/libshm.h>

#include <torch/csrc/shm/manager_connections.h>

#include <unistd.h>

#include <utility>

using torch::shm::ManagerConnections;

void libshm_init(const char* manager_exec_path) {
  ManagerConnections::instance().set_program(manager_exec_path);
}

ManagedHold::ManagedHold(const std::string& manager_handle, std::string name)
    : name_(std::move(name)),
      manager_(ManagerConnections::instance().hold(manager_handle, name_)),
      held_in_(::getpid()) {}

void ManagedHold::release() noexcept {
  // A forked process has the object, but the hold belongs to its parent.
  if (std::exchange(held_in_, 0) == ::getpid()) {
    ManagerConnections::instance().release(manager_, name_);
  }
}

THManagedMapAllocator::THManagedMapAllocator(
    const std::string& manager_handle, std::string name, Mode mode, size_t bytes)
    : hold_(manager_handle, name), memory_(std::move(name), mode, bytes) {}

THManagedMapAllocator::~THManagedMapAllocator() {
  hold_.release();
}

namespace {

void release(void* allocator) {
  delete static_cast<THManagedMapAllocator*>(allocator);
}

} // namespace

c10::DataPtr THManagedMapAllocator::own(THManagedMapAllocator* allocator) {
  return {allocator->memory_.data(), allocator, &::release, c10::Device(c10::kCPU)};
}

c10::DataPtr THManagedMapAllocator::create(std::string name, size_t bytes) {
  return own(new THManagedMapAllocator("", std::move(name), Mode::Create, bytes));
}

c10::DataPtr THManagedMapAllocator::open(
    const std::string& manager_handle, std::string name, size_t bytes) {
  return own(new THManagedMapAllocator(manager_handle, std::move(name), Mode::Open, bytes));
}

THManagedMapAllocator* THManagedMapAllocator::fromDataPtr(const c10::DataPtr& data) {
  return data.cast_context<THManagedMapAllocator>(&::release);
}
