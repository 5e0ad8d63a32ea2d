#pragma once

#include <c10/core/impl/BlockCache.h>
#include <c10/util/intrusive_ptr.h>

#include <atomic>
#include <cstdint>

namespace c10 {

// A count of in-place changes, shared by a tensor and its views.
struct VersionCounter : intrusive_ptr_target, impl::PooledObject {
  explicit VersionCounter(uint32_t version) : version_(version) {}
  std::atomic<uint32_t> version_;
};

struct VariableVersion {
  enum Disabled { DISABLED };

  VariableVersion() = default;
  // For inference tensors, which have no version.
  VariableVersion(Disabled) {}
  explicit VariableVersion(uint32_t version) : counter_(make_intrusive<VersionCounter>(version)) {}
  explicit VariableVersion(intrusive_ptr<VersionCounter> counter) : counter_(std::move(counter)) {}

  bool enabled() const { return counter_.defined(); }
  bool unique() const { return !counter_ || counter_.use_count() == 1; }
  void bump() {
    TORCH_CHECK(counter_, "Tried to bump the version of an inference tensor");
    counter_->version_.fetch_add(1, std::memory_order_relaxed);
  }
  void set_version(int64_t version) {
    TORCH_CHECK(
        counter_,
        "Tried to call torch.autograd._unsafe_set_version() on a tensor that does not have a "
        "version "
        "counter. Was it created in inference mode?");
    counter_->version_.store(static_cast<uint32_t>(version));
  }
  uint32_t current_version() const {
    TORCH_CHECK(counter_, "Inference tensors do not track version counter.");
    return counter_->version_.load(std::memory_order_relaxed);
  }
  const intrusive_ptr<VersionCounter>& counter() const { return counter_; }

 private:
  intrusive_ptr<VersionCounter> counter_;
};

} // namespace c10
