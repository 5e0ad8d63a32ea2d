#include <ATen/cuda/CUDAFft.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cufft.h>

#include <algorithm>
#include <array>
#include <list>
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

using Key = std::array<int64_t, 8>; // the device and the transform

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

// Plans take long to make. Those used last come first.
constexpr size_t kMaxPlans = 256;
std::mutex mutex;
std::list<Plan>& plans() {
  static auto* const all = new std::list<Plan>; // the driver may be gone before the statics
  return *all;
}

Plan& plan_for(const Transform& t) {
  const Key key = {
      c10::cuda::current_device(),
      static_cast<int64_t>(type_of(t)),
      t.length,
      t.batch,
      t.in_step,
      t.in_distance,
      t.out_step,
      t.out_distance};
  auto& all = plans();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Plan& plan) { return plan.key == key; });
  if (found != all.end()) {
    all.splice(all.begin(), all, found);
    return all.front();
  }
  if (all.size() >= kMaxPlans) {
    cufftDestroy(all.back().handle);
    all.pop_back();
  }
  all.push_front(make_plan(key, t));
  return all.front();
}

template <typename T>
T* as(void* data) {
  return static_cast<T*>(data);
}

} // namespace

// A plan belongs to one call at a time.
void execute(const Transform& t, void* in, void* out) {
  const std::lock_guard<std::mutex> lock(mutex);
  const Plan& plan = plan_for(t);
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
  TORCH_CUFFT_CHECK(status);
}

} // namespace at::cuda::fft
