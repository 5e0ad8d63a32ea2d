#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/ClassNLLCriterion.c"
#else

#ifndef THNN_CLASS_NLL
#define THNN_CLASS_NLL
namespace thnn {

// Calls visit(row, class, weight) for each row whose class is not ignored, and returns the number
// of rows.
template <typename T, typename Visit>
int64_t each_class(
    const c10::TensorImpl* input, const c10::TensorImpl* target, c10::TensorImpl* weights,
    int64_t ignore_index, const Visit& visit) {
  const int64_t dim = input->dim();
  TORCH_CHECK(dim == 1 || dim == 2, "expected 1 or 2 dimensions, but got ", input->sizes());
  const int64_t classes = input->size(dim - 1);
  const int64_t rows = dim == 1 ? 1 : input->size(0);
  const th::Elements<int64_t> targets(target);
  TORCH_CHECK(targets.size() == rows, "expected ", rows, " targets, but got ", targets.size());
  TORCH_CHECK(
      !weights || weights->numel() == classes, "expected ", classes, " weights, but got ",
      weights ? weights->numel() : 0);
  const at::Tensor factors =
      weights ? th::tensor(weights) : at::ones({classes}, th::tensor(input).options());
  const th::Elements<T> factor(factors);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t chosen = targets[row];
    if (chosen == ignore_index) continue;
    TORCH_CHECK_INDEX(
        chosen >= 0 && chosen < classes, "Target ", chosen, " is out of bounds for ", classes,
        " classes");
    visit(row, chosen, factor[chosen]);
  }
  return rows;
}

} // namespace thnn
#endif

// -w[y] x[y]; the mean divides by the sum of the weights, which total_weight keeps for the
// gradient.
void THNN_(ClassNLLCriterion_updateOutput)(
    THNNState* state, THTensor* input, THIndexTensor* target, THTensor* output, int64_t reduction,
    THTensor* weights, THTensor* total_weight, int64_t ignore_index) {
  const th::Elements<scalar_t> log_probabilities(input);
  const int64_t rows = input->dim() == 2 ? input->size(0) : 1;
  const int64_t classes = input->size(input->dim() - 1);
  const bool single = reduction != at::Reduction::None || input->dim() == 1;
  std::vector<scalar_t> losses(rows, 0);
  accreal sum = 0, total = 0;
  thnn::each_class<scalar_t>(
      input, target, weights, ignore_index, [&](int64_t row, int64_t chosen, scalar_t weight) {
        losses[row] = -weight * log_probabilities[row * classes + chosen];
        sum += losses[row];
        total += weight;
      });
  th::Results<scalar_t> result(output, {single ? 1 : rows});
  if (single) {
    result[0] = static_cast<scalar_t>(reduction == at::Reduction::Mean ? sum / total : sum);
  } else {
    std::copy(losses.begin(), losses.end(), result.begin());
  }
  result.store();
  th::Results<scalar_t> kept(total_weight, {1});
  kept[0] = static_cast<scalar_t>(total);
  kept.store();
}

void THNN_(ClassNLLCriterion_updateGradInput)(
    THNNState* state, THTensor* input, THIndexTensor* target, THTensor* gradOutput,
    THTensor* gradInput, int64_t reduction, THTensor* weights, THTensor* total_weight,
    int64_t ignore_index) {
  const th::Elements<scalar_t> grads(gradOutput), total(total_weight);
  const int64_t classes = input->size(input->dim() - 1);
  const bool single = reduction != at::Reduction::None || input->dim() == 1;
  const scalar_t divisor = reduction == at::Reduction::Mean ? total[0] : scalar_t(1);
  const std::vector<int64_t> sizes = input->sizes().vec();
  th::Results<scalar_t> result(gradInput, sizes);
  std::fill(result.begin(), result.end(), scalar_t(0));
  thnn::each_class<scalar_t>(
      input, target, weights, ignore_index, [&](int64_t row, int64_t chosen, scalar_t weight) {
        result[row * classes + chosen] = -weight * grads[single ? 0 : row] / divisor;
      });
  result.store();
}

#endif
