#include <ATen/native/ChannelValues.h>
#include <ATen/native/NormParameters.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/to.h>
#include <ATen/ops/view.h>

#include <algorithm>

namespace at::native {

ChannelValues channel_values(const std::optional<Tensor>& tensor, int64_t count, double absent) {
  ChannelValues values(static_cast<size_t>(count), absent);
  if (!is_given(tensor)) {
    return values;
  }
  TORCH_CHECK(
      tensor->numel() == count, "expected ", count, " values, one for each channel, but got ",
      tensor->numel());
  if (tensor->scalar_type() == kFloat && tensor->is_contiguous()) {
    std::copy_n(tensor->const_data_ptr<float>(), count, values.begin());
  } else {
    const Tensor doubles = at::methods::to(*tensor, kDouble).contiguous();
    std::copy_n(doubles.const_data_ptr<double>(), count, values.begin());
  }
  return values;
}

void store_channels(const Tensor& tensor, const ChannelValues& values) {
  if (tensor.scalar_type() == kFloat && tensor.is_contiguous()) {
    std::transform(
        values.begin(), values.end(), tensor.mutable_data_ptr<float>(),
        [](double value) { return static_cast<float>(value); });
    return;
  }
  const Tensor doubles =
      at::empty({static_cast<int64_t>(values.size())}, tensor.options().dtype(kDouble));
  std::copy(values.begin(), values.end(), doubles.mutable_data_ptr<double>());
  at::methods::copy_(tensor, at::methods::view(doubles, tensor.sizes()));
}

Tensor channel_tensor(const ChannelValues& values, const TensorOptions& options) {
  Tensor result = at::empty({static_cast<int64_t>(values.size())}, options);
  store_channels(result, values);
  return result;
}

WideValues::WideValues(const ChannelValues& values, ScalarType wide)
    : doubles_(wide == kDouble ? &values : nullptr) {
  if (wide != kDouble) {
    floats_.assign(values.begin(), values.end());
  }
}

const void* WideValues::data(int64_t first) const {
  return doubles_ != nullptr ? static_cast<const void*>(doubles_->data() + first)
                             : floats_.data() + first;
}

} // namespace at::native
