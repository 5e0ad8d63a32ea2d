#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "THNN/generic/LookupTable.c"
#else

// Adds scale * gradOutput[i] to row input[i] of gradWeight. With scaleGradByFreq, the gradient of a
// row is divided by how often it was looked up, which `count` receives.
void THNN_(LookupTable_accGradParameters)(
    THNNState* state, THIndexTensor* input, THTensor* gradOutput, THTensor* gradWeight,
    THIntegerTensor* count, THTensor* sorted, THIndexTensor* indices, bool scaleGradByFreq,
    int64_t paddingValue, accreal scale) {
  const th::Elements<int64_t, THDevice> rows(input);
  const th::Elements<scalar_t, THDevice> grads(gradOutput);
  TORCH_CHECK(gradWeight->dim() == 2, "gradWeight must be a matrix, but has ", gradWeight->sizes());
  TORCH_CHECK(gradWeight->is_contiguous(), "gradWeight must be contiguous");
  const int64_t height = gradWeight->size(0), width = gradWeight->size(1);
  TORCH_CHECK(grads.size() == rows.size() * width, "gradOutput has the wrong number of elements");
  th::Results<int64_t, THDevice> counts(count, {height});
  counts.zero();
  THDevice::for_each(rows.size(), thnn::CountRows<THDevice>{rows.begin(), height, counts.begin()});
  THDevice::for_each(
      grads.size(),
      thnn::AddRows<THDevice, scalar_t, accreal>{
          rows.begin(), scaleGradByFreq ? counts.begin() : nullptr, grads.begin(), width,
          paddingValue, scale, th::checked_data<scalar_t, THDevice>(gradWeight)});
  counts.store();
}

// Scales the rows that were looked up and whose norm exceeds maxNorm.
void THNN_(LookupTable_renorm)(
    THNNState* state, THIndexTensor* idx, THTensor* weight, accreal maxNorm, accreal normType) {
  TORCH_CHECK(normType > 0, "the type of the norm must be positive, but is ", normType);
  TORCH_CHECK(weight->dim() == 2 && weight->is_contiguous(), "weight must be a contiguous matrix");
  const th::Elements<int64_t, THDevice> rows(idx);
  const int64_t height = weight->size(0), width = weight->size(1);
  const at::Tensor counts = at::zeros({height}, th::tensor(idx).options());
  auto* count = counts.mutable_data_ptr<int64_t>();
  THDevice::for_each(rows.size(), thnn::CountRows<THDevice>{rows.begin(), height, count});
  THDevice::for_each(
      height,
      thnn::LimitNorms<scalar_t, accreal>{
          count, width, maxNorm, normType, th::checked_data<scalar_t, THDevice>(weight)});
}

#endif
