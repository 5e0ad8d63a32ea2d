#include <ATen/CPUGeneratorImpl.h>

#include <ATen/EmptyTensor.h>
#include <ATen/core/TensorBase.h>

#include <algorithm>
#include <cstring>

namespace at {

namespace {

// The saved state, byte for byte as PyTorch writes it, so states can be exchanged in both
// directions.
struct SavedState {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  uint64_t words[mt19937_data::kStateSize];
  double normal_x;   // not used by this generator
  double normal_y;   // the pending double sample
  double normal_rho; // not used by this generator
  int32_t has_double;
  int32_t padding;
  float pending_float;
  bool has_float;
};
static_assert(sizeof(SavedState) == 5056, "PyTorch's CPU generator state has 5056 bytes");

} // namespace

CPUGeneratorImpl::CPUGeneratorImpl(uint64_t seed)
    : GeneratorImpl(c10::Device(c10::DeviceType::CPU), c10::DispatchKeySet(c10::DispatchKey::CPU)),
      engine_(seed) {}

CPUGeneratorImpl::~CPUGeneratorImpl() = default;

void CPUGeneratorImpl::set_current_seed(uint64_t seed) {
  next_float_normal_sample_.reset();
  next_double_normal_sample_.reset();
  engine_ = mt19937(seed);
}

uint64_t CPUGeneratorImpl::current_seed() const {
  return engine_.seed();
}

uint64_t CPUGeneratorImpl::seed() {
  const uint64_t random = c10::detail::getNonDeterministicRandom();
  set_current_seed(random);
  return random;
}

void CPUGeneratorImpl::set_state(const c10::TensorImpl& new_state) {
  TORCH_CHECK_TYPE(
      new_state.dtype() == c10::ScalarType::Byte && new_state.device().is_cpu(),
      "RNG state must be a torch.ByteTensor");
  TORCH_CHECK(
      new_state.numel() == static_cast<int64_t>(sizeof(SavedState)),
      "Expected a CPUGeneratorImplState of size ", sizeof(SavedState),
      " but found the input RNG state size to be ", new_state.numel());
  TORCH_CHECK(new_state.is_contiguous(), "RNG state must be contiguous");
  SavedState saved;
  std::memcpy(&saved, new_state.data(), sizeof(saved));
  mt19937_data data;
  data.seed_ = saved.seed;
  data.left_ = saved.left;
  data.seeded_ = saved.seeded != 0;
  data.next_ = static_cast<uint32_t>(saved.next);
  std::transform(
      std::begin(saved.words), std::end(saved.words), data.state_.begin(),
      [](uint64_t word) { return static_cast<uint32_t>(word); });
  mt19937 engine;
  engine.set_data(data);
  TORCH_CHECK(engine.is_valid(), "Invalid mt19937 state");
  engine_ = engine;
  next_float_normal_sample_ =
      saved.has_float ? std::optional<float>(saved.pending_float) : std::nullopt;
  next_double_normal_sample_ =
      saved.has_double ? std::optional<double>(saved.normal_y) : std::nullopt;
}

c10::intrusive_ptr<c10::TensorImpl> CPUGeneratorImpl::get_state() const {
  SavedState saved;
  std::memset(&saved, 0, sizeof(saved));
  const mt19937_data& data = engine_.data();
  saved.seed = data.seed_;
  saved.left = data.left_;
  saved.seeded = data.seeded_;
  saved.next = data.next_;
  std::copy(data.state_.begin(), data.state_.end(), std::begin(saved.words));
  saved.has_double = next_double_normal_sample_.has_value();
  saved.normal_y = next_double_normal_sample_.value_or(0.0);
  saved.has_float = next_float_normal_sample_.has_value();
  saved.pending_float = next_float_normal_sample_.value_or(0.0f);
  const TensorBase state =
      detail::empty_cpu({static_cast<int64_t>(sizeof(saved))}, c10::ScalarType::Byte);
  std::memcpy(state.mutable_data_ptr(), &saved, sizeof(saved));
  return state.getIntrusivePtr();
}

CPUGeneratorImpl* CPUGeneratorImpl::clone_impl() const {
  auto copy = c10::make_intrusive<CPUGeneratorImpl>();
  copy->engine_ = engine_;
  copy->next_float_normal_sample_ = next_float_normal_sample_;
  copy->next_double_normal_sample_ = next_double_normal_sample_;
  return copy.release();
}

void Generator::set_state(const TensorBase& new_state) const {
  TORCH_CHECK(new_state.defined(), "Undefined tensor is not allowed");
  impl_->set_state(*new_state.unsafeGetTensorImpl());
}

TensorBase Generator::get_state() const {
  return TensorBase::wrap_tensor_impl(impl_->get_state());
}

namespace detail {

const Generator& getDefaultCPUGenerator() {
  static const Generator generator = createCPUGenerator(c10::detail::getNonDeterministicRandom());
  return generator;
}

Generator createCPUGenerator(uint64_t seed) {
  return make_generator<CPUGeneratorImpl>(seed);
}

} // namespace detail

} // namespace at
