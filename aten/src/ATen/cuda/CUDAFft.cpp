#include <ATen/cuda/CUDAFft.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cufft.h>

#include <array>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#define TORCH_CUFFT_CHECK(call)                        \
  do {                                                 \
    const cufftResult torch_status = (call);           \
    if (C10_UNLIKELY(torch_status != CUFFT_SUCCESS)) { \
      throw_cufft_error(torch_status, #call);          \
    }                                                  \
  } while (false)

namespace at::cuda::fft {
namespace {

[[noreturn]] C10_COLD void throw_cufft_error(cufftResult status, const char* call) {
  throw c10::AcceleratorError(
      {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, static_cast<int>(status),
      "cuFFT error: status " + std::to_string(static_cast<int>(status)) + " when calling `" + call +
          "`");
}

using Key = std::array<int64_t, 7>;

struct Plan {
  Key key;
  cufftHandle handle;
  size_t work_size;
};

cufftType type_of(const Transform& t) {
  switch (t.kind) {
    case native::FftKind::ComplexToComplex:
      return t.is_double ? CUFFT_Z2Z : CUFFT_C2C;
    case native::FftKind::RealToComplex:
      return t.is_double ? CUFFT_D2Z : CUFFT_R2C;
    default:
      return t.is_double ? CUFFT_Z2D : CUFFT_C2R;
  }
}

Plan make_plan(const Key& key, const Transform& t) {
  Plan plan{key, 0, 0};
  TORCH_CUFFT_CHECK(cufftCreate(&plan.handle));
  TORCH_CUFFT_CHECK(cufftSetAutoAllocation(plan.handle, 0));
  // The sizes of a line in memory matter for several dimensions only, but enable the steps.
  long long length = t.length, in_size = t.length, out_size = t.length;
  TORCH_CUFFT_CHECK(cufftMakePlanMany64(
      plan.handle, 1, &length, &in_size, t.in_step, t.in_distance, &out_size, t.out_step,
      t.out_distance, type_of(t), t.batch, &plan.work_size));
  return plan;
}

// The plans of a device; those used last come first. A plan belongs to one call at a time, so calls
// hold the mutex.
struct PlanCache {
  std::list<Plan> plans;
  std::map<Key, std::list<Plan>::iterator> by_key;
  size_t max_size = 4096; // as in PyTorch

  void shrink_to(size_t count) {
    while (plans.size() > count) {
      cufftDestroy(plans.back().handle);
      by_key.erase(plans.back().key);
      plans.pop_back();
    }
  }
};

std::mutex mutex;
PlanCache& cache_of(c10::DeviceIndex device) {
  // The driver may be gone before the statics.
  static auto* const all = new std::map<c10::DeviceIndex, PlanCache>;
  return (*all)[device];
}

Plan& plan_for(PlanCache& cache, const Transform& t) {
  const Key key = {
      static_cast<int64_t>(type_of(t)),
      t.length,
      t.batch,
      t.in_step,
      t.in_distance,
      t.out_step,
      t.out_distance};
  if (const auto found = cache.by_key.find(key); found != cache.by_key.end()) {
    cache.plans.splice(cache.plans.begin(), cache.plans, found->second);
    return cache.plans.front();
  }
  cache.plans.push_front(make_plan(key, t));
  cache.by_key[key] = cache.plans.begin();
  return cache.plans.front();
}

template <typename T>
T* as(void* data) {
  return static_cast<T*>(data);
}

} // namespace

void execute(const Transform& t, void* in, void* out) {
  const std::lock_guard<std::mutex> lock(mutex);
  PlanCache& cache = cache_of(c10::cuda::current_device());
  const Plan& plan = plan_for(cache, t);
  TORCH_CUFFT_CHECK(cufftSetStream(plan.handle, c10::cuda::getCurrentCUDAStream()));
  const c10::DataPtr work = c10::cuda::CUDACachingAllocator::get()->allocate(plan.work_size);
  TORCH_CUFFT_CHECK(cufftSetWorkArea(plan.handle, work.get()));
  const int direction = t.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
  cufftResult status = CUFFT_INVALID_TYPE;
  switch (type_of(t)) {
    case CUFFT_C2C:
      status = cufftExecC2C(plan.handle, as<cufftComplex>(in), as<cufftComplex>(out), direction);
      break;
    case CUFFT_R2C:
      status = cufftExecR2C(plan.handle, as<cufftReal>(in), as<cufftComplex>(out));
      break;
    case CUFFT_C2R:
      status = cufftExecC2R(plan.handle, as<cufftComplex>(in), as<cufftReal>(out));
      break;
    case CUFFT_Z2Z:
      status = cufftExecZ2Z(
          plan.handle, as<cufftDoubleComplex>(in), as<cufftDoubleComplex>(out), direction);
      break;
    case CUFFT_D2Z:
      status = cufftExecD2Z(plan.handle, as<cufftDoubleReal>(in), as<cufftDoubleComplex>(out));
      break;
    case CUFFT_Z2D:
      status = cufftExecZ2D(plan.handle, as<cufftDoubleComplex>(in), as<cufftDoubleReal>(out));
      break;
    default:
      break;
  }
  cache.shrink_to(cache.max_size);
  TORCH_CUFFT_CHECK(status);
}

PlanCacheInfo plan_cache_info(c10::DeviceIndex device) {
  const std::lock_guard<std::mutex> lock(mutex);
  const PlanCache& cache = cache_of(device);
  return {static_cast<int64_t>(cache.plans.size()), static_cast<int64_t>(cache.max_size)};
}

void set_plan_cache_max_size(c10::DeviceIndex device, int64_t max_size) {
  TORCH_CHECK(max_size >= 0, "cuFFT plan cache size must be non-negative, but got ", max_size);
  const std::lock_guard<std::mutex> lock(mutex);
  PlanCache& cache = cache_of(device);
  cache.max_size = static_cast<size_t>(max_size);
  cache.shrink_to(cache.max_size);
}

void clear_plan_cache(c10::DeviceIndex device) {
  const std::lock_guard<std::mutex> lock(mutex);
  cache_of(device).shrink_to(0);
}

} // namespace at::cuda::fft
