// Connectionist temporal classification (Graves et al., 2006): the negative log of the probability
// of a sequence of labels, summed over all alignments, and its gradient.

#include <ATen/core/Tensor.h>
#include <ATen/native/CtcLoss.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/native/LossReduction.h>
#include <ATen/ops/_ctc_loss.h>
#include <ATen/ops/_ctc_loss_backward_native.h>
#include <ATen/ops/_ctc_loss_native.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/ctc_loss.h>
#include <ATen/ops/ctc_loss_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/select.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace at::native {
namespace {

using Alignments = CtcAlignments;
using ctc::kNever;
using ctc::log_add;

void check_arguments(
    const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
    IntArrayRef target_lengths, int64_t blank) {
  TORCH_CHECK(log_probs.dim() == 3, "log_probs must have 3 dimensions, but got ", log_probs.dim());
  TORCH_CHECK(log_probs.numel() > 0, "log_probs tensor must not be empty");
  TORCH_CHECK(
      targets.scalar_type() == kLong || targets.scalar_type() == kInt,
      "targets must be of type int32 or int64, but got ", targets.scalar_type());
  const int64_t batch = log_probs.size(1);
  TORCH_CHECK(0 <= blank && blank < log_probs.size(2), "blank must be in label range");
  TORCH_CHECK(
      static_cast<int64_t>(input_lengths.size()) == batch,
      "input_lengths must be of size batch_size");
  TORCH_CHECK(
      static_cast<int64_t>(target_lengths.size()) == batch,
      "target_lengths must be of size batch_size");
  TORCH_CHECK(
      targets.dim() == 1 || (targets.dim() == 2 && targets.size(0) == batch),
      "targets must be 1D or of size (batch_size, length), but got ", targets.sizes());
  for (int64_t b = 0; b < batch; ++b) {
    TORCH_CHECK(
        input_lengths[b] >= 0 && input_lengths[b] <= log_probs.size(0),
        "Expected input_lengths to have value at most ", log_probs.size(0), ", but got value ",
        input_lengths[b], " (while checking arguments for ctc_loss_cpu)");
    TORCH_CHECK(
        target_lengths[b] >= 0, "Expected target_lengths to have value at least 0, but got value ",
        target_lengths[b], " (while checking arguments for ctc_loss_cpu)");
  }
}

// `targets` must outlive the result.
Alignments alignments_of(
    const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
    IntArrayRef target_lengths, int64_t blank) {
  Alignments a{
      log_probs.size(0),
      log_probs.size(1),
      log_probs.size(2),
      1,
      blank,
      targets.const_data_ptr<int64_t>(),
      {},
      input_lengths,
      target_lengths};
  int64_t start = 0;
  for (int64_t b = 0; b < a.batch; ++b) {
    a.starts.push_back(targets.dim() == 2 ? b * targets.size(1) : start);
    start += target_lengths[b];
    a.states = std::max(a.states, a.states_of(b));
    TORCH_CHECK(
        targets.dim() == 1 || target_lengths[b] <= targets.size(1), "Expected tensor to have ",
        "size at least ", target_lengths[b], " at dimension 1, but got size ", targets.size(1),
        " (while checking arguments for ctc_loss_cpu)");
  }
  TORCH_CHECK(
      targets.dim() == 2 || start <= targets.numel(),
      "targets must have as many labels as target_lengths add up to, ", start, ", but got ",
      targets.numel());
  return a;
}

// alpha[t][s]: the log probability of all alignments of the first t + 1 steps that end in state s.
template <typename T>
T forward(const Alignments& a, int64_t b, const T* probs, T* alpha) {
  const int64_t steps = a.input_lengths[b], states = a.states_of(b);
  if (steps == 0) {
    return states == 1 ? T(0) : -kNever<T>;
  }
  const int64_t step = a.batch * a.classes;
  alpha[0] = probs[a.blank];
  if (states > 1) {
    alpha[1] = probs[a.label(b, 1)];
  }
  for (int64_t t = 1; t < steps; ++t) {
    const T* last = alpha + (t - 1) * a.states;
    for (int64_t s = 0; s < states; ++s) {
      T sum = last[s];
      if (s > 0) {
        sum = log_add(sum, last[s - 1]);
      }
      if (s > 1 && s % 2 == 1 && a.label(b, s) != a.label(b, s - 2)) {
        sum = log_add(sum, last[s - 2]);
      }
      alpha[t * a.states + s] = sum + probs[t * step + a.label(b, s)];
    }
  }
  const T* ends = alpha + (steps - 1) * a.states + states - 1;
  return -(states > 1 ? log_add(ends[0], ends[-1]) : ends[0]);
}

// beta[s] is alpha in reversed time, of one step. The gradient by a log probability that comes from
// log_softmax is its probability less the share of the alignments that pass through it.
template <typename T>
void backward(
    const Alignments& a, int64_t b, const T* probs, const T* alpha, T loss, T upstream, T* grad) {
  const int64_t steps = a.input_lengths[b], states = a.states_of(b), step = a.batch * a.classes;
  std::vector<T> beta(static_cast<size_t>(states)), next(beta);
  std::vector<T> shares(static_cast<size_t>(a.classes));
  for (int64_t t = steps - 1; t >= 0; --t) {
    std::fill(shares.begin(), shares.end(), kNever<T>);
    for (int64_t s = 0; s < states; ++s) {
      T sum = t == steps - 1 ? (s >= states - 2 ? T(0) : kNever<T>) : next[s];
      if (t < steps - 1 && s + 1 < states) {
        sum = log_add(sum, next[s + 1]);
      }
      if (t < steps - 1 && s + 2 < states && s % 2 == 1 && a.label(b, s) != a.label(b, s + 2)) {
        sum = log_add(sum, next[s + 2]);
      }
      const int64_t label = a.label(b, s);
      beta[s] = sum + probs[t * step + label];
      shares[label] = log_add(shares[label], alpha[t * a.states + s] + beta[s]);
    }
    std::swap(beta, next);
    for (int64_t c = 0; c < a.classes; ++c) {
      const T log_prob = probs[t * step + c];
      grad[t * step + c] = (std::exp(log_prob) - std::exp(shares[c] + loss - log_prob)) * upstream;
    }
  }
}

void check_labels(const Alignments& a) {
  for (int64_t b = 0; b < a.batch; ++b) {
    for (int64_t s = 1; s < a.states_of(b); s += 2) {
      TORCH_CHECK(
          a.label(b, s) >= 0 && a.label(b, s) < a.classes, "ctc_loss: label ", a.label(b, s),
          " is not in the range of classes, 0 to ", a.classes - 1);
    }
  }
}

void ctc_loss_kernel(
    ScalarType dtype, const Alignments& a, const void* probs, void* alpha, void* losses) {
  check_labels(a);
  AT_DISPATCH_FLOATING_TYPES(dtype, "ctc_loss_cpu", [&] {
    const auto* from = static_cast<const scalar_t*>(probs);
    auto* to = static_cast<scalar_t*>(alpha);
    auto* loss = static_cast<scalar_t*>(losses);
    at::parallel_for(0, a.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        loss[b] = forward<scalar_t>(a, b, from + b * a.classes, to + b * a.time * a.states);
      }
    });
  });
}

void ctc_loss_backward_kernel(ScalarType dtype, const Alignments& a, const CtcGradient& g) {
  check_labels(a);
  AT_DISPATCH_FLOATING_TYPES(dtype, "ctc_loss_backward_cpu", [&] {
    const auto* from = static_cast<const scalar_t*>(g.probs);
    const auto* alpha = static_cast<const scalar_t*>(g.alpha);
    const auto* loss = static_cast<const scalar_t*>(g.losses);
    const auto* by = static_cast<const scalar_t*>(g.upstream);
    auto* to = static_cast<scalar_t*>(g.out);
    at::parallel_for(0, a.batch, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        if (!g.zero_infinity || loss[b] != -kNever<scalar_t>) {
          backward<scalar_t>(
              a, b, from + b * a.classes, alpha + b * a.time * a.states, loss[b], by[b],
              to + b * a.classes);
        }
      }
    });
  });
}

void check_dtype(const Tensor& tensor, const char* name) {
  if (tensor.scalar_type() != kFloat && tensor.scalar_type() != kDouble) {
    at::detail::dispatch_unsupported(name, tensor.scalar_type());
  }
}

Tensor as_long(const Tensor& tensor) {
  return at::methods::to(tensor, kLong).contiguous();
}

std::vector<int64_t> lengths_of(const char* name, const Tensor& lengths) {
  TORCH_CHECK(
      c10::isIntegralType(lengths.scalar_type(), /*includeBool=*/false), name, " must be integral");
  const Tensor values =
      at::methods::to(lengths, TensorOptions().device(kCPU).dtype(kLong)).contiguous();
  const int64_t* from = values.const_data_ptr<int64_t>();
  return {from, from + values.numel()};
}

} // namespace

DEFINE_DISPATCH(ctc_loss_stub);
DEFINE_DISPATCH(ctc_loss_backward_stub);
REGISTER_DISPATCH(ctc_loss_stub, &ctc_loss_kernel)
REGISTER_DISPATCH(ctc_loss_backward_stub, &ctc_loss_backward_kernel)

std::tuple<Tensor, Tensor> _ctc_loss(
    const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
    IntArrayRef target_lengths, int64_t blank, bool /*zero_infinity*/) {
  check_arguments(log_probs, targets, input_lengths, target_lengths, blank);
  int64_t longest = 0;
  for (const int64_t length : target_lengths) {
    longest = std::max(longest, length);
  }
  const int64_t batch = log_probs.size(1);
  Tensor loss = at::empty({batch}, log_probs.options());
  Tensor alpha = at::full(
      {batch, log_probs.size(0), 2 * longest + 1}, -std::numeric_limits<double>::infinity(),
      log_probs.options());
  if (log_probs.is_meta()) {
    return {loss, alpha};
  }
  const Tensor labels = as_long(targets), probs = log_probs.contiguous();
  const Alignments a = alignments_of(probs, labels, input_lengths, target_lengths, blank);
  check_dtype(log_probs, "ctc_loss");
  ctc_loss_stub(
      probs.device().type(), probs.scalar_type(), a, probs.const_data_ptr(),
      alpha.mutable_data_ptr(), loss.mutable_data_ptr());
  return {loss, alpha};
}

Tensor _ctc_loss_backward(
    const Tensor& grad, const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
    IntArrayRef target_lengths, const Tensor& neg_log_likelihood, const Tensor& log_alpha,
    int64_t blank, bool zero_infinity) {
  Tensor result = at::zeros(log_probs.sizes(), log_probs.options());
  if (log_probs.is_meta()) {
    return result;
  }
  const Tensor labels = as_long(targets), probs = log_probs.contiguous();
  const Tensor upstream = grad.contiguous(), losses = neg_log_likelihood.contiguous();
  const Tensor alphas = log_alpha.contiguous();
  const Alignments a = alignments_of(probs, labels, input_lengths, target_lengths, blank);
  check_dtype(log_probs, "ctc_loss_backward");
  ctc_loss_backward_stub(
      probs.device().type(), probs.scalar_type(), a,
      CtcGradient{
          probs.const_data_ptr(), alphas.const_data_ptr(), losses.const_data_ptr(),
          upstream.const_data_ptr(), result.mutable_data_ptr(), zero_infinity});
  return result;
}

Tensor ctc_loss(
    const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
    IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  const bool batched = log_probs.dim() == 3;
  Tensor loss = std::get<0>(at::_ctc_loss(
      batched ? log_probs : at::unsqueeze(log_probs, 1),
      batched || targets.dim() != 1 ? targets : at::unsqueeze(targets, 0), input_lengths,
      target_lengths, blank, zero_infinity));
  if (zero_infinity) {
    const Tensor never = loss == Scalar(std::numeric_limits<double>::infinity());
    loss = at::where(never, at::zeros({}, loss.options()), loss);
  }
  if (reduction == Reduction::Mean) {
    Tensor lengths = at::empty({loss.size(0)}, TensorOptions().dtype(kLong));
    std::copy(target_lengths.begin(), target_lengths.end(), lengths.mutable_data_ptr<int64_t>());
    return at::mean(loss / at::clamp_min(at::methods::to(lengths, loss.options()), 1));
  }
  loss = apply_loss_reduction(loss, reduction);
  return batched || loss.dim() == 0 ? loss : at::select(loss, 0, 0);
}

Tensor ctc_loss(
    const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
    const Tensor& target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  const std::vector<int64_t> inputs = lengths_of("input_lengths", input_lengths);
  const std::vector<int64_t> labels = lengths_of("target_lengths", target_lengths);
  return at::ctc_loss(log_probs, targets, inputs, labels, blank, reduction, zero_infinity);
}

} // namespace at::native
