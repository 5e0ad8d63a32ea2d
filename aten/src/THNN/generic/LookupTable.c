#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/LookupTable.c"
#else

// Adds scale * gradOutput[i] to row input[i] of gradWeight. With scaleGradByFreq, the gradient of a
// row is divided by how often it was looked up, which `count` receives.
void THNN_(LookupTable_accGradParameters)(
    THNNState* state, THIndexTensor* input, THTensor* gradOutput, THTensor* gradWeight,
    THIntegerTensor* count, THTensor* sorted, THIndexTensor* indices, bool scaleGradByFreq,
    int64_t paddingValue, accreal scale) {
  const th::Elements<int64_t> rows(input);
  const th::Elements<scalar_t> grads(gradOutput);
  TORCH_CHECK(gradWeight->dim() == 2, "gradWeight must be a matrix, but has ", gradWeight->sizes());
  TORCH_CHECK(gradWeight->is_contiguous(), "gradWeight must be contiguous");
  const int64_t height = gradWeight->size(0), width = gradWeight->size(1);
  TORCH_CHECK(grads.size() == rows.size() * width, "gradOutput has the wrong number of elements");
  scalar_t* weights = th::checked_data<scalar_t>(gradWeight);
  th::Results<int64_t> counts(count, {height});
  std::fill(counts.begin(), counts.end(), 0);
  for (const int64_t row : rows) {
    TORCH_CHECK_INDEX(row >= 0 && row < height, "index out of range: ", row);
    counts[row] += 1;
  }
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = rows[i];
    if (row == paddingValue) continue;
    const accreal factor = scaleGradByFreq ? scale / static_cast<accreal>(counts[row]) : scale;
    for (int64_t column = 0; column < width; ++column) {
      weights[row * width + column] += static_cast<scalar_t>(factor * grads[i * width + column]);
    }
  }
  counts.store();
}

// Scales the rows that were looked up and whose norm exceeds maxNorm.
void THNN_(LookupTable_renorm)(
    THNNState* state, THIndexTensor* idx, THTensor* weight, accreal maxNorm, accreal normType) {
  TORCH_CHECK(normType > 0, "the type of the norm must be positive, but is ", normType);
  TORCH_CHECK(weight->dim() == 2 && weight->is_contiguous(), "weight must be a contiguous matrix");
  const th::Elements<int64_t> elements(idx);
  const int64_t height = weight->size(0), width = weight->size(1);
  std::vector<int64_t> rows(elements.begin(), elements.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  scalar_t* weights = th::checked_data<scalar_t>(weight);
  for (const int64_t row : rows) {
    TORCH_CHECK_INDEX(row >= 0 && row < height, "index out of range: ", row);
    scalar_t* values = weights + row * width;
    accreal norm = 0;
    for (int64_t i = 0; i < width; ++i) {
      norm += std::pow(std::abs(static_cast<accreal>(values[i])), normType);
    }
    norm = std::pow(norm, 1 / normType);
    if (norm <= maxNorm) continue;
    for (int64_t i = 0; i < width; ++i) {
      values[i] = static_cast<scalar_t>(values[i] * (maxNorm / norm));
    }
  }
}

#endif
