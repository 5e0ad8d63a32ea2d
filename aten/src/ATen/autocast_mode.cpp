#include <ATen/autocast_mode.h>

#include <ATen/ops/to.h>
#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <mutex>
#include <unordered_map>
#include <utility>

namespace at::autocast {

namespace {

constexpr size_t kTypes = c10::COMPILE_TIME_MAX_DEVICE_TYPES;

constexpr ScalarType default_dtype(DeviceType type) {
  switch (type) {
    case DeviceType::CPU:
    case DeviceType::HPU:
    case DeviceType::XLA:
    case DeviceType::MAIA:
      return ScalarType::BFloat16;
    default:
      return ScalarType::Half;
  }
}

constexpr std::array<ScalarType, kTypes> default_dtypes = [] {
  std::array<ScalarType, kTypes> dtypes{};
  for (size_t i = 0; i < kTypes; ++i) {
    dtypes[i] = default_dtype(static_cast<DeviceType>(i));
  }
  return dtypes;
}();

constinit thread_local std::array<ScalarType, kTypes> dtypes = default_dtypes;
constinit thread_local int nesting = 0;
constinit thread_local bool cache_enabled = true;

DispatchKey autocast_key(DeviceType type) {
  TORCH_CHECK(
      is_autocast_available(type), "autocast is not available for device type '",
      c10::DeviceTypeName(type, /*lower_case=*/true), "'");
  switch (type) {
#define C10_AUTOCAST_KEY(backend) \
  case DeviceType::backend:       \
    return DispatchKey::Autocast##backend;
    C10_FORALL_AUTOCAST_BACKENDS(C10_AUTOCAST_KEY)
#undef C10_AUTOCAST_KEY
    default:
      return DispatchKey::Undefined;
  }
}

// Casts by the tensor that was cast. The weak reference keeps its address from being reused.
struct CachedCast {
  c10::weak_intrusive_ptr<TensorImpl, UndefinedTensorImpl> source;
  Tensor cast;
};
using Cache = std::unordered_map<TensorImpl*, CachedCast>;

struct SharedCache {
  std::mutex mutex;
  Cache casts;
};
SharedCache& shared_cache() {
  static SharedCache* const cache = new SharedCache; // lives until the process ends
  return *cache;
}

bool may_cache(ScalarType dtype, const Tensor& tensor, DeviceType type) {
  return cache_enabled && dtype == get_autocast_dtype(type) &&
      tensor.scalar_type() == ScalarType::Float && tensor.requires_grad() && tensor.is_leaf() &&
      !tensor.is_view();
}

} // namespace

bool is_autocast_enabled(DeviceType type) {
  return !c10::impl::tls_is_dispatch_key_excluded(autocast_key(type));
}

// Tensors do not carry autocast keys: a thread adds them to every call.
void set_autocast_enabled(DeviceType type, bool enabled) {
  const DispatchKey key = autocast_key(type);
  c10::impl::tls_set_dispatch_key_excluded(key, !enabled);
  c10::impl::tls_set_dispatch_key_included(key, enabled);
}

bool is_any_autocast_enabled() {
  return !c10::impl::tls_is_dispatch_keyset_excluded(c10::autocast_dispatch_keyset);
}

ScalarType get_autocast_dtype(DeviceType type) {
  autocast_key(type);
  return dtypes[static_cast<size_t>(type)];
}

void set_autocast_dtype(DeviceType type, ScalarType dtype) {
  autocast_key(type);
  dtypes[static_cast<size_t>(type)] = dtype;
}

int increment_nesting() {
  return ++nesting;
}
int decrement_nesting() {
  return --nesting;
}

bool is_autocast_cache_enabled() {
  return cache_enabled;
}
void set_autocast_cache_enabled(bool enabled) {
  cache_enabled = enabled;
}

void clear_cache() {
  Cache dropped; // destroyed without the lock: a tensor's destructor may run Python code
  SharedCache& cache = shared_cache();
  const std::lock_guard<std::mutex> lock(cache.mutex);
  dropped.swap(cache.casts);
}

bool is_eligible(const Tensor& tensor, DeviceType type) {
  return tensor.defined() && tensor.device().type() == type &&
      c10::isFloatingType(tensor.scalar_type()) && tensor.scalar_type() != ScalarType::Double;
}

Tensor cached_cast(ScalarType dtype, const Tensor& tensor, DeviceType type) {
  if (!is_eligible(tensor, type) || tensor.scalar_type() == dtype) {
    return tensor;
  }
  if (!may_cache(dtype, tensor, type)) {
    return at::methods::to(tensor, dtype);
  }
  SharedCache& cache = shared_cache();
  {
    const std::lock_guard<std::mutex> lock(cache.mutex);
    // A cast made without gradients must not cut the graph of a later call.
    if (const auto found = cache.casts.find(tensor.unsafeGetTensorImpl());
        found != cache.casts.end() &&
        (found->second.cast.requires_grad() || !c10::GradMode::is_enabled())) {
      return found->second.cast;
    }
  }
  Tensor cast = at::methods::to(tensor, dtype);
  c10::weak_intrusive_ptr<TensorImpl, UndefinedTensorImpl> source(tensor.getIntrusivePtr());
  const std::lock_guard<std::mutex> lock(cache.mutex);
  cache.casts.insert_or_assign(tensor.unsafeGetTensorImpl(), CachedCast{std::move(source), cast});
  return cast;
}

std::vector<Tensor> cached_cast(ScalarType dtype, TensorList tensors, DeviceType type) {
  std::vector<Tensor> cast;
  cast.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    cast.push_back(cached_cast(dtype, tensor, type));
  }
  return cast;
}

ScalarType prioritize(ScalarType current, const Tensor& tensor, DeviceType type) {
  if (!is_eligible(tensor, type)) {
    return current;
  }
  const ScalarType dtype = tensor.scalar_type();
  if (current == ScalarType::Float || dtype == ScalarType::Float) {
    return ScalarType::Float;
  }
  TORCH_CHECK(
      current == dtype, "autocast to ", current, " met an argument of dtype ", dtype,
      ", which is not the lower precision of this region");
  return current;
}

} // namespace at::autocast
