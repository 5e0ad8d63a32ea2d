// Connectionist temporal classification (Graves et al., 2006): the negative log of the probability
// of a sequence of labels, summed over all alignments, and its gradient.

#include <ATen/core/Tensor.h>
#include <ATen/native/CtcLoss.h>

#include <ATen/Dispatch.h>
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
#include <ATen/ops/item.h>
#include <ATen/ops/select.h>
#include <ATen/ops/to.h>
#include <ATen/ops/unsqueeze.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>

namespace at::native {
namespace {

using Alignments = CtcAlignments;

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
  if (lengths.unsafeGetTensorImpl()->is_python_dispatch()) { // it has no memory to read
    std::vector<int64_t> values;
    for (int64_t i = 0; i < lengths.numel(); ++i) {
      const Tensor value = lengths.dim() == 0 ? lengths : at::select(lengths, 0, i);
      values.push_back(at::methods::item(value).to<int64_t>());
    }
    return values;
  }
  const Tensor values =
      at::methods::to(lengths, TensorOptions().device(kCPU).dtype(kLong)).contiguous();
  const int64_t* from = values.const_data_ptr<int64_t>();
  return {from, from + values.numel()};
}

} // namespace

DEFINE_DISPATCH(ctc_loss_stub);
DEFINE_DISPATCH(ctc_loss_backward_stub);

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
