// Sequences of different lengths, packed step by step without padding, longest first.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_pack_padded_sequence.h>
#include <ATen/ops/_pack_padded_sequence_backward_native.h>
#include <ATen/ops/_pack_padded_sequence_native.h>
#include <ATen/ops/_pad_packed_sequence_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/narrow.h>
#include <ATen/ops/select.h>
#include <ATen/ops/transpose.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace at::native {

namespace {

const int64_t* read_sizes(const Tensor& sizes) {
  TORCH_CHECK(
      !sizes.unsafeGetTensorImpl()->is_python_dispatch(),
      "the lengths of packed sequences must be in memory, but they are in a tensor subclass");
  return sizes.const_data_ptr<int64_t>();
}

// batch_sizes[t] is the number of sequences longer than t.
Tensor batch_sizes_of(const Tensor& lengths) {
  const int64_t* length = read_sizes(lengths);
  const int64_t count = lengths.numel();
  Tensor result = at::empty({length[0]}, lengths.options());
  int64_t* size = result.mutable_data_ptr<int64_t>();
  int64_t alive = count;
  for (int64_t t = 0; t < length[0]; ++t) {
    while (length[alive - 1] <= t) {
      --alive;
    }
    size[t] = alive;
  }
  return result;
}

void check_lengths(const Tensor& input, const Tensor& lengths) {
  TORCH_CHECK(input.numel() > 0, "Cannot pack empty tensors.");
  TORCH_CHECK(
      lengths.numel() == input.size(1),
      "Expected `len(lengths)` to be equal to batch_size, but got ", lengths.numel(),
      " (batch_size=", input.size(1), ")");
  const int64_t* length = read_sizes(lengths);
  TORCH_CHECK(
      length[lengths.numel() - 1] > 0,
      "Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
      "<= 0");
  TORCH_CHECK(
      length[0] <= input.size(0), "Expected `lengths` to be at most ", input.size(0), ", but got ",
      length[0]);
  for (int64_t i = 0; i + 1 < lengths.numel(); ++i) {
    TORCH_CHECK(
        length[i] >= length[i + 1],
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
        "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
        "requirement if you do not need ONNX exportability.");
  }
}

} // namespace

std::tuple<Tensor, Tensor> _pack_padded_sequence(
    const Tensor& input, const Tensor& lengths, bool batch_first) {
  TORCH_CHECK(
      lengths.device().is_cpu() && lengths.scalar_type() == kLong && lengths.dim() == 1,
      "'lengths' argument should be a 1D CPU int64 tensor");
  const Tensor by_step = batch_first ? at::transpose(input, 0, 1) : input;
  const Tensor sorted = lengths.contiguous();
  check_lengths(by_step, sorted);
  const Tensor batch_sizes = batch_sizes_of(sorted);
  const int64_t* size = batch_sizes.const_data_ptr<int64_t>();
  std::vector<Tensor> steps;
  for (int64_t t = 0; t < batch_sizes.numel(); ++t) {
    steps.push_back(at::narrow(at::select(by_step, 0, t), 0, 0, size[t]));
  }
  return {at::cat(steps, 0), batch_sizes};
}

Tensor _pack_padded_sequence_backward(
    const Tensor& grad, IntArrayRef input_size, const Tensor& batch_sizes, bool batch_first) {
  TORCH_CHECK(
      batch_sizes.device().is_cpu() && batch_sizes.scalar_type() == kLong && input_size.size() > 1,
      "'batch_sizes' argument should be a CPU int64 tensor, and the input have two dimensions");
  DimVector sizes(input_size);
  if (batch_first) {
    std::swap(sizes[0], sizes[1]);
  }
  const Tensor result = at::zeros(sizes, grad.options());
  const Tensor steps = batch_sizes.contiguous();
  const int64_t* size = read_sizes(steps);
  int64_t first = 0;
  for (int64_t t = 0; t < steps.numel(); ++t) {
    at::methods::copy_(
        at::narrow(at::select(result, 0, t), 0, 0, size[t]), at::narrow(grad, 0, first, size[t]));
    first += size[t];
  }
  return batch_first ? at::transpose(result, 0, 1) : result;
}

// Rows of equal length are written together: a block of steps over which the batch does not shrink.
std::tuple<Tensor, Tensor> _pad_packed_sequence(
    const Tensor& data, const Tensor& batch_sizes, bool batch_first, const Scalar& padding_value,
    int64_t total_length) {
  TORCH_CHECK(
      batch_sizes.device().is_cpu() && batch_sizes.scalar_type() == kLong,
      "'batch_sizes' argument should be a CPU int64 tensor");
  const Tensor counts = batch_sizes.contiguous();
  const int64_t* size = read_sizes(counts);
  const int64_t steps = counts.numel();
  TORCH_CHECK(
      steps > 0 && data.dim() > 0 && std::is_sorted(size, size + steps, std::greater<>()),
      "batch_sizes must be non-empty and must not increase");
  const int64_t batch = size[0];
  TORCH_CHECK(
      total_length <= 0 || total_length >= steps,
      "Expected total_length to be at least the length of the longest sequence in input, but got "
      "total_length=",
      total_length, " and max sequence length being ", steps);
  DimVector sizes{std::max(total_length, steps), batch};
  sizes.append(data.sizes().begin() + 1, data.sizes().end());
  Tensor output = at::full(sizes, padding_value, data.options());
  Tensor lengths = at::empty({batch}, counts.options());
  int64_t* length = lengths.mutable_data_ptr<int64_t>();
  int64_t first = 0;
  for (int64_t t = 0; t < steps;) {
    int64_t end = t;
    while (end < steps && size[end] == size[t]) {
      ++end;
    }
    DimVector block{end - t, size[t]};
    block.append(data.sizes().begin() + 1, data.sizes().end());
    at::methods::copy_(
        at::narrow(at::narrow(output, 0, t, end - t), 1, 0, size[t]),
        at::methods::view(at::narrow(data, 0, first, (end - t) * size[t]), block));
    first += (end - t) * size[t];
    const int64_t alive = end < steps ? size[end] : 0;
    std::fill(length + alive, length + size[t], end);
    t = end;
  }
  return {batch_first ? at::transpose(output, 0, 1) : output, lengths};
}

} // namespace at::native
