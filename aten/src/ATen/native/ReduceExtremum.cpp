// amax, amin, max, min, argmax and argmin.

#include <ATen/Dispatch.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/ReduceStubs.h>
#include <ATen/native/Resize.h>

#include <ATen/ops/amax_meta.h>
#include <ATen/ops/amax_native.h>
#include <ATen/ops/amin_meta.h>
#include <ATen/ops/amin_native.h>
#include <ATen/ops/argmax_meta.h>
#include <ATen/ops/argmax_native.h>
#include <ATen/ops/argmin_meta.h>
#include <ATen/ops/argmin_native.h>
#include <ATen/ops/copy.h>
#include <ATen/ops/max_meta.h>
#include <ATen/ops/max_native.h>
#include <ATen/ops/min_meta.h>
#include <ATen/ops/min_native.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/WrapDimMinimal.h>

#include <limits>

namespace at::native {

DEFINE_DISPATCH(amax_kernels);
DEFINE_DISPATCH(amin_kernels);
DEFINE_DISPATCH(argmax_kernels);
DEFINE_DISPATCH(argmin_kernels);

namespace {

template <class Value, class Out>
void store_positions(
    const ArgAcc<Value>* acc, int64_t count, Out* values, int64_t step, int64_t* positions,
    int64_t positions_step) {
  for (int64_t i = 0; i < count; ++i) {
    if (values != nullptr) {
      if constexpr (std::is_same_v<Out, c10::Half> || std::is_same_v<Out, c10::BFloat16>) {
        values[i * step] = static_cast<Out>(static_cast<float>(acc[i].value));
      } else {
        values[i * step] = static_cast<Out>(acc[i].value);
      }
    }
    positions[i * positions_step] = acc[i].index;
  }
}

template <class Value, class Out>
void store_pair(
    const void* acc, int64_t count, void* out, int64_t step, void* out2, int64_t step2) {
  store_positions(
      static_cast<const ArgAcc<Value>*>(acc), count, static_cast<Out*>(out), step,
      static_cast<int64_t*>(out2), step2);
}

// Writes values to the first output and positions to the second.
void store_values_and_positions(
    const ReduceSink& sink, const void* acc, int64_t count, void* out, int64_t step, void* out2,
    int64_t step2) {
  switch (sink.dtype) {
    case ScalarType::Float:
      return store_pair<double, float>(acc, count, out, step, out2, step2);
    case ScalarType::Double:
      return store_pair<double, double>(acc, count, out, step, out2, step2);
    case ScalarType::Half:
      return store_pair<double, c10::Half>(acc, count, out, step, out2, step2);
    case ScalarType::BFloat16:
      return store_pair<double, c10::BFloat16>(acc, count, out, step, out2, step2);
    case ScalarType::Long:
      return store_pair<int64_t, int64_t>(acc, count, out, step, out2, step2);
    case ScalarType::Int:
      return store_pair<int64_t, int32_t>(acc, count, out, step, out2, step2);
    case ScalarType::Short:
      return store_pair<int64_t, int16_t>(acc, count, out, step, out2, step2);
    default:
      return store_pair<int64_t, int8_t>(acc, count, out, step, out2, step2);
  }
}

void store_only_positions(
    const ReduceSink&, const void* acc, int64_t count, void* out, int64_t step, void*, int64_t) {
  store_positions(
      static_cast<const ArgAcc<double>*>(acc), count, static_cast<char*>(nullptr), 0,
      static_cast<int64_t*>(out), step);
}

const ReduceKernel& values_kernel(
    bool is_max, DeviceType device, ScalarType dtype, const char* name) {
  return require_kernel(
      is_max ? amax_kernels(device, dtype) : amin_kernels(device, dtype), name, dtype);
}

const ReduceKernel& positions_kernel(
    bool is_max, DeviceType device, ScalarType dtype, const char* name) {
  return require_kernel(
      is_max ? argmax_kernels(device, dtype) : argmin_kernels(device, dtype), name, dtype);
}

void amax_meta(
    impl::MetaBase& meta, const char* name, const Tensor& self, IntArrayRef dim, bool keepdim,
    const Tensor& out) {
  if (out.defined()) {
    TORCH_CHECK(
        self.scalar_type() == out.scalar_type(),
        "Expected the dtype for input and out to match, but got ", self.scalar_type(),
        " for input's dtype and ", out.scalar_type(), " for out's dtype.");
  }
  if (self.numel() == 0) {
    zero_numel_check_dims(self, dim, name);
  }
  resize_reduction(meta, self, dim, keepdim, self.scalar_type());
}

void fold_extremum(bool is_max, const Tensor& self, IntArrayRef dim, const Tensor& result) {
  if (result.numel() == 0) {
    return;
  }
  const ScalarType dtype = self.scalar_type();
  const ReduceKernel& kernel = values_kernel(
      is_max, self.device().type(), dtype, is_max ? "max_values_cpu" : "min_values_cpu");
  reduce_dims(
      kernel, {arithmetic_store(dtype), dtype}, self, make_dim_mask(dim, self.dim()), result);
}

Tensor extremum_all(bool is_max, const Tensor& self) {
  TORCH_CHECK(
      self.numel() > 0, is_max ? "max" : "min",
      "(): Expected reduction dim to be specified for input.numel() == 0. Specify the ",
      "reduction dim with the 'dim' argument.");
  const ScalarType dtype = self.scalar_type();
  if (self.is_meta()) {
    return make_reduced(self, DimMask().set(), false, dtype);
  }
  Tensor result = make_scalar(self, dtype);
  reduce_all(
      values_kernel(is_max, self.device().type(), dtype, is_max ? "max_all" : "min_all"),
      {arithmetic_store(dtype), dtype}, self, result);
  return result;
}

// The identity of the reduction, which only the out= form gives.
Tensor extremum_of_nothing(bool is_max, const Tensor& self) {
  const ScalarType dtype = self.scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(
      !self.is_complex(), "\"", is_max ? "max_all" : "min_all", "\" not implemented for '", dtype,
      "'");
  if (self.is_floating_point()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return at::scalar_tensor(is_max ? -infinity : infinity, self.options());
  }
  return AT_DISPATCH_INTEGRAL_TYPES_AND(kBool, dtype, is_max ? "max_all" : "min_all", [&] {
    using limits = std::numeric_limits<scalar_t>;
    return at::scalar_tensor(is_max ? limits::lowest() : limits::max(), self.options());
  });
}

Tensor& extremum_all_out(bool is_max, const Tensor& self, Tensor& out) {
  TORCH_CHECK(
      self.device() == out.device(), "Expected all tensors to be on the same device, but ",
      "found ", self.device(), " and ", out.device());
  TORCH_CHECK(
      c10::canCast(self.scalar_type(), out.scalar_type()), "result type ", self.scalar_type(),
      " can't be cast to the desired output type ", out.scalar_type());
  const Tensor value =
      self.numel() == 0 ? extremum_of_nothing(is_max, self) : extremum_all(is_max, self);
  resize_output(out, {});
  return at::methods::copy_(out, value);
}

void arg_dim_meta(
    impl::MetaBase& meta, const char* name, const Tensor& self, std::optional<int64_t> dim,
    bool keepdim) {
  TORCH_CHECK(!self.is_complex(), name, ": does not support complex input");
  TORCH_CHECK(self.scalar_type() != ScalarType::Bool, name, ": does not support bool input");
  if (dim.has_value()) {
    const int64_t wrapped = c10::maybe_wrap_dim(*dim, self.dim());
    zero_numel_check_dims(self, wrapped, name);
    return resize_reduction(meta, self, wrapped, keepdim, ScalarType::Long);
  }
  TORCH_CHECK_INDEX(
      self.numel() != 0, name, ": Expected reduction dim to be specified for input.numel() == 0.");
  resize_reduction(meta, self, OptionalIntArrayRef(), keepdim, ScalarType::Long);
}

void fold_positions(
    bool is_max, const Tensor& self, std::optional<int64_t> dim, const Tensor& result) {
  const ScalarType dtype = self.scalar_type();
  const ReduceKernel& kernel =
      positions_kernel(is_max, self.device().type(), dtype, is_max ? "argmax_cpu" : "argmin_cpu");
  const ReduceSink sink{&store_only_positions, dtype, 0, false, SinkKind::Position};
  if (dim.has_value()) {
    reduce_dims(kernel, sink, self, one_dim_mask(*dim, self.dim()), result);
  } else {
    reduce_flat(kernel, sink, self.contiguous(), result, TensorBase(), 0);
  }
}

int64_t extremum_dim_meta(
    impl::MetaBase& meta, const char* name, const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t wrapped = c10::maybe_wrap_dim(dim, self.dim());
  zero_numel_check_dims(self, wrapped, name);
  TORCH_CHECK(!self.is_complex(), name, ": does not support complex input");
  const c10::DimVector shape = reduced_shape(self, one_dim_mask(wrapped, self.dim()), keepdim);
  meta.set_output_raw_strided(0, shape, {}, self.options());
  meta.set_output_raw_strided(1, shape, {}, self.options().dtype(ScalarType::Long));
  return wrapped;
}

void fold_extremum_dim(
    bool is_max, const Tensor& self, int64_t dim, const Tensor& values, const Tensor& indices) {
  const ScalarType dtype = self.scalar_type();
  reduce_dims(
      positions_kernel(is_max, self.device().type(), dtype, is_max ? "max_cpu" : "min_cpu"),
      {&store_values_and_positions, dtype, 0, false, SinkKind::ValueAndPosition}, self,
      one_dim_mask(dim, self.dim()), values, indices);
}

} // namespace

TORCH_IMPL_FUNC(amax_out)
(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& result) {
  fold_extremum(true, self, dim, result);
}

TORCH_IMPL_FUNC(amin_out)
(const Tensor& self, IntArrayRef dim, bool keepdim, const Tensor& result) {
  fold_extremum(false, self, dim, result);
}

Tensor max(const Tensor& self) {
  return extremum_all(true, self);
}

Tensor min(const Tensor& self) {
  return extremum_all(false, self);
}

Tensor& max_unary_out(const Tensor& self, Tensor& out) {
  return extremum_all_out(true, self, out);
}

Tensor& min_unary_out(const Tensor& self, Tensor& out) {
  return extremum_all_out(false, self, out);
}

TORCH_IMPL_FUNC(argmax_out)
(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& result) {
  fold_positions(true, self, dim, result);
}

TORCH_IMPL_FUNC(argmin_out)
(const Tensor& self, std::optional<int64_t> dim, bool keepdim, const Tensor& result) {
  fold_positions(false, self, dim, result);
}

TORCH_IMPL_FUNC(max_out)
(const Tensor& self, int64_t dim, bool keepdim, const Tensor& values, const Tensor& indices) {
  fold_extremum_dim(true, self, dim, values, indices);
}

TORCH_IMPL_FUNC(min_out)
(const Tensor& self, int64_t dim, bool keepdim, const Tensor& values, const Tensor& indices) {
  fold_extremum_dim(false, self, dim, values, indices);
}

} // namespace at::native

namespace at::meta {

TORCH_META_FUNC(amax)(const Tensor& self, IntArrayRef dim, bool keepdim) {
  native::amax_meta(*this, "amax()", self, dim, keepdim, maybe_get_output());
}

TORCH_META_FUNC(amin)(const Tensor& self, IntArrayRef dim, bool keepdim) {
  native::amax_meta(*this, "amin()", self, dim, keepdim, maybe_get_output());
}

TORCH_META_FUNC(argmax)(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  native::arg_dim_meta(*this, "argmax()", self, dim, keepdim);
}

TORCH_META_FUNC(argmin)(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  native::arg_dim_meta(*this, "argmin()", self, dim, keepdim);
}

TORCH_PRECOMPUTE_META_FUNC2(max, dim)(const Tensor& self, int64_t dim, bool keepdim) {
  return TORCH_PRECOMPUTE_STRUCT2(max, dim)().set_dim(
      native::extremum_dim_meta(*this, "max()", self, dim, keepdim));
}

TORCH_PRECOMPUTE_META_FUNC2(min, dim)(const Tensor& self, int64_t dim, bool keepdim) {
  return TORCH_PRECOMPUTE_STRUCT2(min, dim)().set_dim(
      native::extremum_dim_meta(*this, "min()", self, dim, keepdim));
}

} // namespace at::meta
