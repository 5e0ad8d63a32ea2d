#pragma once
// The negative log-likelihood of one class for each row of log-probabilities.
#include <THNN/Criterion.h>

#include <ATen/ops/empty.h>

#include <optional>

namespace thnn {

// What kernels know of the targets.
template <typename Device, typename T>
struct ClassTargets {
  int64_t classes, ignored;
  const int64_t* targets;
  const T* weights; // null if each class weighs 1

  // The weight of the row's class, whose element of the matrix is `place`; 0 for an ignored row.
  C10_HOST_DEVICE T weight(int64_t row, int64_t* place) const {
    const int64_t chosen = targets[row];
    if (chosen == ignored) return T(0);
    Device::check_index(chosen, classes);
    *place = row * classes + chosen;
    return weights ? weights[chosen] : T(1);
  }
};

// -w[y] x[y] and w[y] for each row.
template <typename Device, typename T>
struct ClassLoss {
  ClassTargets<Device, T> targets;
  const T* log_probabilities;
  T *losses, *weights;

  C10_HOST_DEVICE void operator()(int64_t row) const {
    int64_t place = -1;
    weights[row] = targets.weight(row, &place);
    losses[row] = place < 0 ? T(0) : -weights[row] * log_probabilities[place];
  }
};

// -w[y] times the gradient, divided by the sum of the weights if there is a divisor.
template <typename Device, typename T>
struct ClassLossGradient {
  ClassTargets<Device, T> targets;
  const T *grads, *divisor;
  int64_t grad_step; // from row to row; 0 if the loss was reduced
  T* results;

  C10_HOST_DEVICE void operator()(int64_t row) const {
    int64_t place = -1;
    const T weight = targets.weight(row, &place);
    if (place >= 0) {
      results[place] = -weight * grads[row * grad_step] / (divisor ? *divisor : T(1));
    }
  }
};

// Holds the tensors while kernels run.
template <typename Device, typename T>
class ClassRows {
 public:
  ClassRows(
      const c10::TensorImpl* input, const c10::TensorImpl* target, const c10::TensorImpl* weights,
      int64_t ignored)
      : rows_(input->dim() == 2 ? input->size(0) : 1), ignored_(ignored), targets_(target) {
    const int64_t dim = input->dim();
    TORCH_CHECK(dim == 1 || dim == 2, "expected 1 or 2 dimensions, but got ", input->sizes());
    classes_ = input->size(dim - 1);
    TORCH_CHECK(
        targets_.size() == rows_, "expected ", rows_, " targets, but got ", targets_.size());
    if (weights) {
      weights_.emplace(weights);
      TORCH_CHECK(
          weights_->size() == classes_, "expected ", classes_, " weights, but got ",
          weights_->size());
    }
  }
  int64_t size() const { return rows_; }
  ClassTargets<Device, T> targets() const {
    return {classes_, ignored_, targets_.begin(), weights_ ? weights_->begin() : nullptr};
  }

 private:
  int64_t rows_, classes_ = 0, ignored_;
  th::Elements<int64_t, Device> targets_;
  std::optional<th::Elements<T, Device>> weights_;
};

inline bool one_result(const c10::TensorImpl* input, int64_t reduction) {
  return reduction != at::Reduction::None || input->dim() == 1;
}

// The mean divides by the sum of the weights, which total_weight keeps for the gradient.
template <typename Device, typename T, typename Sum>
void class_nll(
    c10::TensorImpl* input, c10::TensorImpl* target, c10::TensorImpl* output, int64_t reduction,
    c10::TensorImpl* weights, c10::TensorImpl* total_weight, int64_t ignored) {
  const ClassRows<Device, T> rows(input, target, weights, ignored);
  const th::Elements<T, Device> log_probabilities(input);
  const at::TensorOptions options = th::tensor(input).options();
  const at::Tensor losses = at::empty({rows.size()}, options);
  const at::Tensor factors = at::empty({rows.size()}, options);
  Device::for_each(
      rows.size(),
      ClassLoss<Device, T>{
          rows.targets(), log_probabilities.begin(), losses.mutable_data_ptr<T>(),
          factors.mutable_data_ptr<T>()});
  const at::Tensor total = sum_of<Sum>(factors).reshape({1});
  assign(total_weight, total);
  if (!one_result(input, reduction)) {
    assign(output, losses);
    return;
  }
  const at::Tensor sum = sum_of<Sum>(losses).reshape({1});
  assign(output, reduction == at::Reduction::Mean ? sum.div(total) : sum);
}

template <typename Device, typename T>
void class_nll_gradient(
    c10::TensorImpl* input, c10::TensorImpl* target, c10::TensorImpl* grad_output,
    c10::TensorImpl* grad_input, int64_t reduction, c10::TensorImpl* weights,
    c10::TensorImpl* total_weight, int64_t ignored) {
  const ClassRows<Device, T> rows(input, target, weights, ignored);
  const th::Elements<T, Device> grads(grad_output), total(total_weight);
  const int64_t step = one_result(input, reduction) ? 0 : 1;
  TORCH_CHECK(
      grads.size() == (step ? rows.size() : 1), "the gradient has ", grads.size(),
      " elements, which is not the number of losses");
  const std::vector<int64_t> sizes = input->sizes().vec();
  th::Results<T, Device> result(grad_input, sizes);
  result.zero();
  const T* divisor = reduction == at::Reduction::Mean ? total.begin() : nullptr;
  Device::for_each(
      rows.size(),
      ClassLossGradient<Device, T>{rows.targets(), grads.begin(), divisor, step, result.begin()});
  result.store();
}

} // namespace thnn
