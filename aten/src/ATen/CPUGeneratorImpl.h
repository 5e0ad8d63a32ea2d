#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/MT19937RNGEngine.h>
#include <c10/core/GeneratorImpl.h>

#include <optional>
#include <span>

namespace at {

// The CPU generator: MT19937 plus the unused second value of the last Box-Muller pair. Seeds,
// streams and saved states are interchangeable with PyTorch's.
struct TORCH_API CPUGeneratorImpl final : public c10::GeneratorImpl {
  explicit CPUGeneratorImpl(uint64_t seed = c10::default_rng_seed_val);
  ~CPUGeneratorImpl() override;

  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override;
  uint64_t seed() override;
  void set_state(const c10::TensorImpl& new_state) override;
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
  static c10::DeviceType device_type() { return c10::DeviceType::CPU; }

  uint32_t random() { return engine_(); }
  uint64_t random64() {
    if (const auto words = engine_.upcoming(); words.size() > 1) {
      engine_.skip(2);
      return (uint64_t{words[0]} << 32) | words[1];
    }
    const uint64_t high = engine_();
    return (high << 32) | engine_();
  }

  // The numbers that random() returns next, at least one; skip_random() draws them.
  std::span<const uint32_t> upcoming_random() { return engine_.upcoming(); }
  void skip_random(size_t count) { engine_.skip(count); }

  std::optional<float> next_float_normal_sample() const { return next_float_normal_sample_; }
  std::optional<double> next_double_normal_sample() const { return next_double_normal_sample_; }
  void set_next_float_normal_sample(std::optional<float> value) {
    next_float_normal_sample_ = value;
  }
  void set_next_double_normal_sample(std::optional<double> value) {
    next_double_normal_sample_ = value;
  }

  mt19937 engine() const { return engine_; }
  void set_engine(const mt19937& engine) { engine_ = engine; }

 private:
  CPUGeneratorImpl* clone_impl() const override;

  mt19937 engine_;
  std::optional<float> next_float_normal_sample_;
  std::optional<double> next_double_normal_sample_;
};

namespace detail {

// The default CPU generator of the process.
TORCH_API const Generator& getDefaultCPUGenerator();
TORCH_API Generator createCPUGenerator(uint64_t seed = c10::default_rng_seed_val);

} // namespace detail

} // namespace at
