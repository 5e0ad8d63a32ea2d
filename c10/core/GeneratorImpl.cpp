#include <c10/core/GeneratorImpl.h>

#include <random>

namespace c10 {

GeneratorImpl::GeneratorImpl(Device device, DispatchKeySet key_set)
    : device_(device), key_set_(key_set) {}

GeneratorImpl::~GeneratorImpl() = default;

intrusive_ptr<GeneratorImpl> GeneratorImpl::clone() const {
  return intrusive_ptr<GeneratorImpl>::reclaim(clone_impl());
}

uint64_t detail::getNonDeterministicRandom(bool is_cuda) {
  std::random_device entropy;
  const uint64_t high = entropy();
  const uint64_t value = (high << 32) | entropy();
  // Python users pass seeds through doubles, which hold 53 bits exactly.
  return is_cuda ? value & 0xffffffff : value & 0x1fffffffffffff;
}

} // namespace c10
