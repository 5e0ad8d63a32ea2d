// CTC loss; see native/CtcLoss.h. A block follows one element of the batch through time, with a
// thread for each state.

#include <ATen/native/CtcLoss.h>

#include <ATen/Dispatch.h>
#include <ATen/native/cuda/DeviceTables.h>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDADeviceAssert.h>

#include <algorithm>

namespace at::native {
namespace {

using ctc::kNever;
using ctc::log_add;

// CtcAlignments with its arrays in device memory.
struct DeviceAlignments {
  int64_t time, batch, classes, states, blank;
  const int64_t *targets, *starts, *input_lengths, *target_lengths;

  C10_DEVICE int64_t label(int64_t b, int64_t s) const {
    if (s % 2 == 0) {
      return blank;
    }
    const int64_t own = targets[starts[b] + s / 2];
    CUDA_KERNEL_ASSERT(own >= 0 && own < classes && "label out of bounds");
    return own;
  }
  C10_DEVICE int64_t states_of(int64_t b) const { return 2 * target_lengths[b] + 1; }
};

DeviceAlignments on_device(const CtcAlignments& a, c10::DataPtr& memory) {
  DeviceTables tables;
  const size_t starts = tables.add(a.starts), inputs = tables.add(a.input_lengths);
  const size_t targets = tables.add(a.target_lengths);
  memory = tables.upload();
  return {
      a.time,
      a.batch,
      a.classes,
      a.states,
      a.blank,
      a.targets,
      DeviceTables::at<int64_t>(memory, starts),
      DeviceTables::at<int64_t>(memory, inputs),
      DeviceTables::at<int64_t>(memory, targets)};
}

template <typename T>
__global__ void alpha_kernel(DeviceAlignments a, const T* all_probs, T* all_alpha, T* losses) {
  const int64_t b = blockIdx.x, steps = a.input_lengths[b], states = a.states_of(b);
  const int64_t step = a.batch * a.classes;
  const T* probs = all_probs + b * a.classes;
  T* alpha = all_alpha + b * a.time * a.states;
  for (int64_t t = 0; t < steps; ++t) {
    for (int64_t s = threadIdx.x; s < states; s += blockDim.x) {
      const int64_t label = a.label(b, s);
      T sum = s < 2 ? T(0) : kNever<T>;
      if (t > 0) {
        const T* last = alpha + (t - 1) * a.states;
        sum = last[s];
        if (s > 0) {
          sum = log_add(sum, last[s - 1]);
        }
        if (s > 1 && s % 2 == 1 && label != a.label(b, s - 2)) {
          sum = log_add(sum, last[s - 2]);
        }
      }
      alpha[t * a.states + s] = sum + probs[t * step + label];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    if (steps == 0) {
      losses[b] = states == 1 ? T(0) : -kNever<T>;
    } else {
      const T* ends = alpha + (steps - 1) * a.states + states - 1;
      losses[b] = -(states > 1 ? log_add(ends[0], ends[-1]) : ends[0]);
    }
  }
}

// alpha in reversed time.
template <typename T>
__global__ void beta_kernel(DeviceAlignments a, const T* all_probs, T* all_beta) {
  const int64_t b = blockIdx.x, steps = a.input_lengths[b], states = a.states_of(b);
  const int64_t step = a.batch * a.classes;
  const T* probs = all_probs + b * a.classes;
  T* beta = all_beta + b * a.time * a.states;
  for (int64_t t = steps - 1; t >= 0; --t) {
    for (int64_t s = threadIdx.x; s < states; s += blockDim.x) {
      const int64_t label = a.label(b, s);
      T sum = s >= states - 2 ? T(0) : kNever<T>;
      if (t < steps - 1) {
        const T* next = beta + (t + 1) * a.states;
        sum = next[s];
        if (s + 1 < states) {
          sum = log_add(sum, next[s + 1]);
        }
        if (s + 2 < states && s % 2 == 1 && label != a.label(b, s + 2)) {
          sum = log_add(sum, next[s + 2]);
        }
      }
      beta[t * a.states + s] = sum + probs[t * step + label];
    }
    __syncthreads();
  }
}

template <typename Kernel, typename... Arguments>
void launch_by_batch(Kernel* kernel, const DeviceAlignments& a, Arguments... arguments) {
  const int64_t threads = std::min<int64_t>(256, ceil_div(a.states, 32) * 32);
  launch_on_current_stream(
      kernel, static_cast<unsigned>(a.batch), static_cast<unsigned>(threads), 0, a, arguments...);
}

template <typename T>
void forward(const CtcAlignments& alignments, const T* probs, T* alpha, T* losses) {
  c10::DataPtr memory;
  const DeviceAlignments a = on_device(alignments, memory);
  launch_by_batch(alpha_kernel<T>, a, probs, alpha, losses);
}

// The states of a label form a chain: `next` is the following one or -1. `first` marks its start.
struct Chain {
  int32_t next, first;
};

void find_chains(const DeviceAlignments& alignments, Chain* chains) {
  const DeviceAlignments a = alignments;
  for_each_index(a.batch * a.states, [=] C10_DEVICE(int64_t i) {
    const int64_t b = i / a.states, s = i % a.states, states = a.states_of(b);
    Chain chain{-1, 0};
    if (s < states) {
      const int64_t label = a.label(b, s);
      int64_t before = s - 1, after = s + 1;
      while (before >= 0 && a.label(b, before) != label)
        --before;
      while (after < states && a.label(b, after) != label)
        ++after;
      chain = {after < states ? static_cast<int32_t>(after) : -1, before < 0 ? 1 : 0};
    }
    chains[i] = chain;
  });
}

// The gradient by a log probability that comes from log_softmax is its probability less
// the share of the alignments that pass through it.
template <typename T>
void backward(const CtcAlignments& alignments, const CtcGradient& g) {
  c10::DataPtr memory;
  const DeviceAlignments a = on_device(alignments, memory);
  auto* allocator = c10::cuda::CUDACachingAllocator::get();
  const int64_t cells = a.batch * a.time * a.states, count = a.time * a.batch * a.classes;
  const c10::DataPtr betas = allocator->allocate(static_cast<size_t>(cells) * sizeof(T));
  const c10::DataPtr sums = allocator->allocate(static_cast<size_t>(count) * sizeof(T));
  const c10::DataPtr links =
      allocator->allocate(static_cast<size_t>(a.batch * a.states) * sizeof(Chain));
  const auto* probs = static_cast<const T*>(g.probs);
  const auto* alpha = static_cast<const T*>(g.alpha);
  const auto* losses = static_cast<const T*>(g.losses);
  const auto* upstream = static_cast<const T*>(g.upstream);
  auto* beta = static_cast<T*>(betas.get());
  auto* shares = static_cast<T*>(sums.get());
  auto* chains = static_cast<Chain*>(links.get());
  auto* out = static_cast<T*>(g.out);
  const bool zero_infinity = g.zero_infinity;

  find_chains(a, chains);
  launch_by_batch(beta_kernel<T>, a, probs, beta);
  for_each_index(count, [=] C10_DEVICE(int64_t i) { shares[i] = kNever<T>; });
  for_each_index(cells, [=] C10_DEVICE(int64_t i) {
    const int64_t s = i % a.states, row = i / a.states; // row: [batch][time]
    const int64_t b = row / a.time, t = row % a.time;
    const Chain* chain = chains + b * a.states;
    if (t >= a.input_lengths[b] || s >= a.states_of(b) || chain[s].first == 0) {
      return;
    }
    T sum = kNever<T>;
    for (int64_t at = s; at >= 0; at = chain[at].next) {
      sum = log_add(sum, alpha[row * a.states + at] + beta[row * a.states + at]);
    }
    shares[(t * a.batch + b) * a.classes + a.label(b, s)] = sum;
  });
  for_each_index(count, [=] C10_DEVICE(int64_t i) {
    const int64_t b = i / a.classes % a.batch, t = i / a.classes / a.batch;
    const T loss = losses[b];
    if (t < a.input_lengths[b] && !(zero_infinity && loss == -kNever<T>)) {
      const T share = std::exp(shares[i] + loss - probs[i]);
      out[i] = (std::exp(probs[i]) - share) * upstream[b];
    }
  });
}

void ctc_loss_on_device(
    ScalarType dtype, const CtcAlignments& a, const void* probs, void* alpha, void* losses) {
  AT_DISPATCH_FLOATING_TYPES(dtype, "ctc_loss_cuda", [&] {
    forward(
        a, static_cast<const scalar_t*>(probs), static_cast<scalar_t*>(alpha),
        static_cast<scalar_t*>(losses));
  });
}

void ctc_loss_backward_on_device(
    ScalarType dtype, const CtcAlignments& a, const CtcGradient& gradient) {
  AT_DISPATCH_FLOATING_TYPES(
      dtype, "ctc_loss_backward_cuda", [&] { backward<scalar_t>(a, gradient); });
}

} // namespace

REGISTER_CUDA_DISPATCH(ctc_loss_stub, &ctc_loss_on_device)
REGISTER_CUDA_DISPATCH(ctc_loss_backward_stub, &ctc_loss_backward_on_device)

} // namespace at::native
