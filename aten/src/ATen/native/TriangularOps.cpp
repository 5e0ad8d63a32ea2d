// eye, tril and triu.

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/TensorMeta.h>
#include <ATen/native/Factories.h>
#include <ATen/native/ScalarBytes.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye_native.h>
#include <ATen/ops/fill.h>
#include <ATen/ops/resize.h>
#include <ATen/ops/tril_native.h>
#include <ATen/ops/triu_native.h>
#include <ATen/ops/zero.h>

#include <algorithm>

namespace at::meta {

TORCH_META_FUNC(tril)(const Tensor& self, int64_t /*diagonal*/) {
  TORCH_CHECK(self.dim() >= 2, "tril: input tensor must have at least 2 dimensions");
  set_output_raw_strided(0, self.sizes(), {}, self.options());
}

TORCH_META_FUNC(triu)(const Tensor& self, int64_t /*diagonal*/) {
  TORCH_CHECK(self.dim() >= 2, "triu: input tensor must have at least 2 dimensions");
  set_output_raw_strided(0, self.sizes(), {}, self.options());
}

} // namespace at::meta

namespace at::native {
namespace {

// The matrices of a batch; finds the start of each from its number.
struct Matrices {
  char* data;
  IntArrayRef sizes;
  IntArrayRef strides;
  int64_t itemsize;

  explicit Matrices(const Tensor& tensor, const void* data_ptr)
      : data(static_cast<char*>(const_cast<void*>(data_ptr))),
        sizes(tensor.sizes()),
        strides(tensor.strides()),
        itemsize(static_cast<int64_t>(tensor.itemsize())) {}

  int64_t row_stride() const { return strides[strides.size() - 2] * itemsize; }
  int64_t column_stride() const { return strides[strides.size() - 1] * itemsize; }

  char* matrix(int64_t number) const {
    int64_t offset = 0;
    for (auto dim = static_cast<int64_t>(sizes.size()) - 3; dim >= 0; --dim) {
      offset += number % sizes[dim] * strides[dim];
      number /= sizes[dim];
    }
    return data + offset * itemsize;
  }
};

// Copies columns [kept_begin, kept_end) of a row and zeroes the others.
template <typename Element>
void mask_row(
    char* out, int64_t out_step, const char* in, int64_t in_step, int64_t columns,
    int64_t kept_begin, int64_t kept_end) {
  const auto zero = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      *reinterpret_cast<Element*>(out + i * out_step) = Element{};
    }
  };
  zero(0, kept_begin);
  if (out != in || out_step != in_step) {
    for (int64_t i = kept_begin; i < kept_end; ++i) {
      *reinterpret_cast<Element*>(out + i * out_step) =
          *reinterpret_cast<const Element*>(in + i * in_step);
    }
  }
  zero(kept_end, columns);
}

template <typename Element>
void mask_contiguous_row(
    Element* out, const Element* in, int64_t columns, int64_t kept_begin, int64_t kept_end) {
  std::fill(out, out + kept_begin, Element{});
  if (out != in) {
    std::copy(in + kept_begin, in + kept_end, out + kept_begin);
  }
  std::fill(out + kept_end, out + columns, Element{});
}

void triangle(const Tensor& self, const Tensor& result, int64_t diagonal, bool upper) {
  check_not_storage_dtype(self.scalar_type(), upper ? "triu" : "tril");
  if (self.numel() == 0) {
    return;
  }
  const Matrices from(self, self.const_data_ptr());
  const Matrices to(result, result.mutable_data_ptr());
  const int64_t rows = self.size(-2);
  const int64_t columns = self.size(-1);
  const int64_t total = self.numel() / columns;
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / columns);
  // Beyond these bounds every row is kept or cleared entirely; clamping keeps row + diagonal in
  // range.
  diagonal = std::clamp<int64_t>(diagonal, -rows - 1, columns + 1);
  const bool contiguous =
      from.column_stride() == from.itemsize && to.column_stride() == to.itemsize;
  dispatch_itemsize(from.itemsize, [&](auto element) {
    using Element = decltype(element);
    at::parallel_for(0, total, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i % rows;
        const char* in = from.matrix(i / rows) + row * from.row_stride();
        char* out = to.matrix(i / rows) + row * to.row_stride();
        const int64_t edge = std::clamp<int64_t>(row + diagonal + (upper ? 0 : 1), 0, columns);
        const int64_t kept_begin = upper ? edge : 0;
        const int64_t kept_end = upper ? columns : edge;
        if (contiguous) {
          mask_contiguous_row(
              reinterpret_cast<Element*>(out), reinterpret_cast<const Element*>(in), columns,
              kept_begin, kept_end);
        } else {
          mask_row<Element>(
              out, to.column_stride(), in, from.column_stride(), columns, kept_begin, kept_end);
        }
      }
    });
  });
}

} // namespace

TORCH_IMPL_FUNC(tril_cpu)(const Tensor& self, int64_t diagonal, const Tensor& result) {
  triangle(self, result, diagonal, /*upper=*/false);
}

TORCH_IMPL_FUNC(triu_cpu)(const Tensor& self, int64_t diagonal, const Tensor& result) {
  triangle(self, result, diagonal, /*upper=*/true);
}

Tensor& eye_out_cpu(int64_t n, int64_t m, Tensor& result) {
  TORCH_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  TORCH_CHECK(m >= 0, "m must be greater or equal to 0, got ", m);
  check_movable_dtype(result.scalar_type(), "eye");
  at::methods::resize_(result, {n, m});
  if (result.is_meta()) {
    return result;
  }
  at::methods::zero_(result);
  if (!result.is_cpu()) {
    at::methods::fill_(at::diagonal(result), 1);
    return result;
  }
  if (result.scalar_type() == ScalarType::ComplexHalf) {
    at::detail::dispatch_unsupported("eye", result.scalar_type());
  }
  const ScalarBytes one = scalar_bytes(1, result.scalar_type());
  const auto itemsize = static_cast<int64_t>(result.itemsize());
  const int64_t step = (result.stride(0) + result.stride(1)) * itemsize;
  char* data = static_cast<char*>(result.mutable_data_ptr());
  for (int64_t i = 0; i < std::min(n, m); ++i) {
    std::copy_n(reinterpret_cast<const char*>(one.data), itemsize, data + i * step);
  }
  return result;
}

Tensor& eye_out_cpu(int64_t n, Tensor& result) {
  return eye_out_cpu(n, n, result);
}

Tensor eye(
    int64_t n, int64_t m, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = factory_empty({0}, {dtype, layout, device, pin_memory});
  const AutoDispatchBelowADInplaceOrView uncounted;
  return eye_out_cpu(n, m, result);
}

Tensor eye(
    int64_t n, std::optional<ScalarType> dtype, std::optional<Layout> layout,
    std::optional<Device> device, std::optional<bool> pin_memory) {
  return eye(n, n, dtype, layout, device, pin_memory);
}

} // namespace at::native
