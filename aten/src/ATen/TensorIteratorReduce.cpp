// Multithreaded reductions.

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/TensorIteratorInternal.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Copy.h>

#include <algorithm>

namespace at {

namespace {

using loop2d_t = TensorIteratorBase::loop2d_t;

// A view of `tensor` with a leading dimension of the given size and stride.
TensorBase with_leading_dim(
    const TensorBase& tensor, int64_t size, int64_t stride, int64_t offset) {
  DimVector sizes{size};
  DimVector strides{stride};
  sizes.append(tensor.sizes().begin(), tensor.sizes().end());
  strides.append(tensor.strides().begin(), tensor.strides().end());
  return native::strided_view(tensor, sizes, strides, tensor.storage_offset() + offset);
}

// One output element: every thread reduces its part into its own row of a buffer that is
// initialized with the output; then the rows are reduced into the output.
void two_pass_reduction(TensorIteratorBase& iter, loop2d_t loop) {
  const int64_t threads = at::get_num_threads();
  const TensorBase& dst = iter.output_base(0);
  const auto numel = dst.numel();
  DimVector buffer_sizes{threads};
  buffer_sizes.append(dst.sizes().begin(), dst.sizes().end());
  TensorBase buffer = at::detail::empty_on(dst.device(), buffer_sizes, dst.scalar_type());
  TensorBase unsqueezed = with_leading_dim(dst, 1, numel, 0);
  native::copy_same_shape(
      buffer,
      native::strided_view(
          unsqueezed, buffer_sizes,
          [&] {
            DimVector strides(unsqueezed.strides().begin(), unsqueezed.strides().end());
            strides[0] = 0;
            return strides;
          }(),
          unsqueezed.storage_offset()));

  const int64_t row_bytes = numel * static_cast<int64_t>(c10::elementSize(dst.scalar_type()));
  TensorBase row = native::strided_view(buffer, dst.sizes(), buffer.strides().slice(1), 0);
  auto first = TensorIterator::reduce_op(row, iter.input_base(0));
  TORCH_INTERNAL_ASSERT(first.output_base(0).is_alias_of(buffer));
  const auto strides = first.get_strides();
  at::parallel_for(0, iter.numel(), internal::GRAIN_SIZE, [&](int64_t begin, int64_t end) {
    auto ptrs = first.get_base_ptrs();
    ptrs[0] += row_bytes * at::get_thread_num();
    internal::serial_for_each(first.shape(), strides, ptrs.data(), ptrs.size(), loop, {begin, end});
  });
  auto last = TensorIterator::reduce_op(unsqueezed, buffer);
  last.for_each_2d(loop);
}

// Several output elements: split a dimension that is not reduced, or if there is none, the largest.
int find_split_dim(const TensorIteratorBase& iter) {
  const int threads = at::get_num_threads();
  const auto shape = iter.shape();
  int best = static_cast<int>(shape.size()) - 1;
  for (int dim = best; dim >= 0 && !iter.is_dim_reduced(dim); --dim) {
    if (shape[dim] >= threads) {
      return dim;
    }
    if (shape[dim] > shape[best]) {
      best = dim;
    }
  }
  return best;
}

void split_reduction(TensorIteratorBase& iter, loop2d_t loop) {
  const int dim = find_split_dim(iter);
  if (iter.is_dim_reduced(dim)) {
    iter.serial_for_each_2d(loop, {0, iter.numel()});
    return;
  }
  const int64_t columns = iter.shape()[dim];
  const int64_t elements_per_column = std::max<int64_t>(iter.numel() / columns, 1);
  const int64_t grain = std::max<int64_t>(internal::GRAIN_SIZE / elements_per_column, 1);
  at::parallel_for(0, columns, grain, [&](int64_t begin, int64_t end) {
    TensorIterator part(iter);
    part.narrow(dim, begin, end - begin);
    part.serial_for_each_2d(loop, {0, part.numel()});
  });
}

} // namespace

void TensorIteratorBase::parallel_reduce(loop2d_t loop) {
  TORCH_CHECK(ntensors() == 2, "parallel_reduce only supports one input and one output");
  const int64_t numel = this->numel();
  if (numel < internal::GRAIN_SIZE || at::get_num_threads() == 1 || at::in_parallel_region()) {
    serial_for_each_2d(loop, {0, numel});
  } else if (output_base(0).numel() == 1) {
    two_pass_reduction(*this, loop);
  } else {
    split_reduction(*this, loop);
  }
}

// Calls `loop` with a one-output-element view of this iterator for each output element.
void TensorIteratorBase::foreach_reduced_elt(
    c10::function_ref<void(TensorIteratorBase&)> loop, bool parallelize) {
  TORCH_INTERNAL_ASSERT(ninputs() == 1 && noutputs() >= 1);
  if (numel() == 0 && num_output_elements() == 0) {
    return;
  }
  if (output_base(0).numel() == 1) {
    loop(*this);
    return;
  }
  const int reduced = num_reduce_dims();
  const int kept = ndim() - reduced;
  const auto kept_shape = shape().slice(reduced, kept);
  const auto run = [&](TensorIteratorBase& part, Range range) {
    internal::DimCounter counter(kept_shape, range);
    while (!counter.is_done()) {
      TensorIterator element(part);
      element.select_all_keeping_dim(reduced, counter.values);
      loop(element);
      counter.increment({1, 1});
    }
  };
  int64_t outputs = 1;
  for (const int64_t size : kept_shape) {
    outputs *= size;
  }
  if (!parallelize || numel() < internal::GRAIN_SIZE || at::in_parallel_region()) {
    run(*this, {0, outputs});
    return;
  }
  const int64_t per_output = std::max<int64_t>(numel() / outputs, 1);
  const int64_t grain = std::max<int64_t>(internal::GRAIN_SIZE / per_output, 1);
  at::parallel_for(0, outputs, grain, [&](int64_t begin, int64_t end) {
    run(*this, {begin, end});
  });
}

} // namespace at
