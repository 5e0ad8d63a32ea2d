#pragma once

#include <ATen/Parallel.h>
#include <ATen/ScalarValue.h>
#include <ATen/TensorIteratorOperand.h>
#include <ATen/TensorMeta.h>
#include <ATen/core/DimVector.h>
#include <ATen/core/Range.h>
#include <ATen/core/TensorBase.h>
#include <c10/core/Scalar.h>
#include <c10/util/FunctionRef.h>
#include <c10/util/SmallVector.h>

#include <bitset>
#include <memory>
#include <optional>
#include <type_traits>

// TensorIterator prepares element-wise and reduction kernels: it broadcasts the operands, finds the
// dtype the computation runs in, allocates or resizes the outputs, and reduces the iteration to as
// few dimensions as the strides allow. Kernels then see base pointers, byte strides and sizes.
//
// Dimension 0 of the iterator is the fastest-moving one, the reverse of a tensor's order.

namespace at {

class Tensor;

class TensorIterator;
class TensorIteratorConfig;

struct TORCH_API TensorIteratorBase : public impl::MetaBase {
  using DimMask = std::bitset<64>;
  using PtrVector = c10::SmallVector<char*, 4>;
  using StrideVector = OperandInfo::StrideVector;
  // data: one pointer per operand. strides: one byte stride per operand, for loop2d_t followed by
  // one outer byte stride per operand.
  using loop1d_t = c10::function_ref<void(char** data, const int64_t* strides, int64_t size)>;
  using loop2d_t =
      c10::function_ref<void(char** data, const int64_t* strides, int64_t size0, int64_t size1)>;

  TensorIteratorBase() = default;
  TensorIteratorBase(const TensorIteratorBase& other);
  TensorIteratorBase& operator=(const TensorIteratorBase& other);
  ~TensorIteratorBase() override = default;

  void build(TensorIteratorConfig& config);

  // Shape and operands.
  int ndim() const { return static_cast<int>(shape_.size()); }
  IntArrayRef shape() const { return shape_; }
  int64_t numel() const;
  int ntensors() const { return static_cast<int>(operands_.size()); }
  int noutputs() const { return num_outputs_; }
  int ninputs() const { return ntensors() - num_outputs_; }
  IntArrayRef view_offsets() const { return view_offsets_; }
  int64_t num_output_elements() const;
  int num_reduce_dims() const;
  bool is_dim_reduced(int dim) const;
  bool is_trivial_1d() const { return ndim() == 1; }
  bool is_contiguous() const;
  IntArrayRef strides(int64_t arg) const { return operands_[arg].stride_bytes; }
  void* data_ptr(int64_t arg) const { return operands_[arg].data; }
  ScalarType dtype(int64_t arg = 0) const { return operands_[arg].current_dtype; }
  ScalarType input_dtype(int64_t arg = 0) const {
    return operands_[num_outputs_ + arg].current_dtype;
  }
  ScalarType common_dtype() const {
    TORCH_INTERNAL_ASSERT(common_dtype_ != ScalarType::Undefined);
    return common_dtype_;
  }
  Device device(int64_t arg = 0) const { return operands_[arg].device; }
  c10::DeviceType device_type(int64_t arg = 0) const { return device(arg).type(); }
  int64_t element_size(int64_t arg) const {
    return static_cast<int64_t>(c10::elementSize(dtype(arg)));
  }
  bool is_scalar(int64_t arg) const;
  bool is_cpu_scalar(int64_t arg) const { return is_scalar(arg) && device(arg).is_cpu(); }

  const TensorBase& tensor_base(int64_t arg) const { return operands_[arg].tensor.get(); }
  const Tensor& tensor(int64_t arg) const {
    return reinterpret_cast<const Tensor&>(operands_[arg].tensor.get());
  }
  const TensorBase& output_base(int64_t arg = 0) const { return tensor_base(arg); }
  const Tensor& output(int64_t arg = 0) const { return tensor(arg); }
  const TensorBase& input_base(int64_t arg = 0) const { return tensor_base(num_outputs_ + arg); }
  const Tensor& input(int64_t arg = 0) const { return tensor(num_outputs_ + arg); }

  // Moves out an output that the iterator allocated, without changing its reference count.
  TensorBase take_output(int64_t arg = 0) { return operands_[arg].tensor.release(); }

  // Copies outputs that were computed in the common dtype back to the caller's tensors.
  void cast_outputs();

  // The single element of an operand, converted to T.
  template <typename T>
  T scalar_value(int64_t arg) const {
    const auto& op = operands_[arg];
    return load_value<T>(op.data, op.current_dtype);
  }
  // The same, from before the value was rounded to the common dtype.
  template <typename T>
  T original_scalar_value(int64_t arg) const {
    const auto& original = operands_[arg].original_tensor;
    if (original.defined()) {
      return load_value<T>(original.get().const_data_ptr(), original.get().scalar_type());
    }
    return scalar_value<T>(arg);
  }

  // Narrowing and splitting.
  void narrow(int dim, int64_t start, int64_t size);
  void select_all_keeping_dim(int start_dim, IntArrayRef indices);
  void unsafe_replace_operand(int64_t arg, void* data);
  void remove_operand(int64_t arg);
  void remove_dimension(int dim);
  std::unique_ptr<TensorIterator> split(int dim);
  int get_dim_to_split() const;

  // Run loops. A callable with three arguments is a loop1d_t, one with four a loop2d_t.
  template <typename Loop>
  void for_each(Loop&& loop, int64_t grain_size = internal::GRAIN_SIZE) {
    if constexpr (std::is_invocable_v<Loop&, char**, const int64_t*, int64_t, int64_t>) {
      for_each_2d(loop, grain_size);
    } else {
      for_each_1d(loop, grain_size);
    }
  }
  template <typename Loop>
  void serial_for_each(Loop&& loop, Range range) const {
    if constexpr (std::is_invocable_v<Loop&, char**, const int64_t*, int64_t, int64_t>) {
      serial_for_each_2d(loop, range);
    } else {
      serial_for_each_1d(loop, range);
    }
  }
  void for_each_1d(loop1d_t loop, int64_t grain_size = internal::GRAIN_SIZE);
  // For loops that are fast only on contiguous rows: inputs that are contiguous in the other
  // dimension are transposed into a buffer, tile by tile.
  void for_each_row(loop1d_t loop, int64_t grain_size = internal::GRAIN_SIZE);
  void for_each_2d(loop2d_t loop, int64_t grain_size = internal::GRAIN_SIZE);
  void serial_for_each_1d(loop1d_t loop, Range range) const;
  void serial_for_each_2d(loop2d_t loop, Range range) const;
  void parallel_reduce(loop2d_t loop);
  void foreach_reduced_elt(
      c10::function_ref<void(TensorIteratorBase&)> loop, bool parallelize = true);

  // Strides and pointers. Operands vary fastest: strides[dim * ntensors + operand].
  StrideVector get_inner_strides() const;
  StrideVector get_dim_strides(int dim) const;
  StrideVector get_strides() const;
  PtrVector get_base_ptrs() const;
  StrideVector compatible_stride(int64_t element_size) const;
  DimVector invert_perm(IntArrayRef input) const;
  bool has_coalesced_dimensions() const { return has_coalesced_dimensions_; }

  // impl::MetaBase
  void set_output_raw_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList names = {}) override;

  // Builders. Operands are borrowed: they must outlive the iterator.
#define AT_BUILDER_UNARY(name) void name(const TensorBase& out, const TensorBase& a)
#define AT_BUILDER_BINARY(name)                                               \
  void name(const TensorBase& out, const TensorBase& a, const TensorBase& b); \
  void name(const TensorBase& out, const TensorBase& a, const Scalar& b)
  AT_BUILDER_BINARY(build_binary_op);
  AT_BUILDER_BINARY(build_borrowing_binary_op);
  AT_BUILDER_BINARY(build_binary_float_op);
  AT_BUILDER_BINARY(build_borrowing_binary_float_op);
  AT_BUILDER_BINARY(build_comparison_op);
  AT_BUILDER_BINARY(build_borrowing_comparison_op);
  AT_BUILDER_BINARY(build_borrowing_except_last_argument_comparison_op);
  AT_BUILDER_UNARY(build_unary_op);
  AT_BUILDER_UNARY(build_borrowing_unary_op);
  AT_BUILDER_UNARY(build_unary_float_op);
  AT_BUILDER_UNARY(build_borrowing_unary_float_op);
  AT_BUILDER_UNARY(build_output_borrowing_argument_owning_unary_op);
  AT_BUILDER_UNARY(build_unary_force_boolean_op);
#undef AT_BUILDER_UNARY
#undef AT_BUILDER_BINARY
  void build_binary_op(const TensorBase& out, const Scalar& a, const TensorBase& b);
  void build_binary_float_op(const TensorBase& out, const Scalar& a, const TensorBase& b);
  // The operands keep their dtypes; numbers are converted to `dtype`, the output's type.
  template <typename A, typename B>
  void build_where_op(
      const TensorBase& out, const TensorBase& condition, const A& a, const B& b,
      ScalarType dtype) {
    add_operand(out, true, false);
    add_operand(condition, false, true);
    add_any(a);
    add_any(b);
    build_select(dtype);
  }
  void build_ternary_op(
      const TensorBase& out, const TensorBase& a, const TensorBase& b, const TensorBase& c);

 protected:
  void add_operand(const TensorBase& tensor, bool is_output, bool is_const);
  void add_number(const Scalar& number);
  void add_any(const TensorBase& tensor) {
    add_operand(tensor, false, true);
  }
  void add_any(const Scalar& number) {
    add_number(number);
  }
  void build_select(ScalarType dtype);
  void build_with(
      const TensorIteratorFlags& flags, const std::optional<DimVector>& static_shape,
      std::optional<Device> static_device);

  // Sets up the iterator when every operand is a scalar or has one common contiguous shape.
  // Otherwise returns false without lasting changes, and the general path has to run.
  bool build_fast(const TensorIteratorFlags& flags);
  void mark_outputs();
  void compute_mem_overlaps(const TensorIteratorFlags& flags);
  void compute_shape(
      const TensorIteratorFlags& flags, const std::optional<DimVector>& static_shape);
  void mark_resize_outputs(const TensorIteratorFlags& flags, bool has_static_shape);
  void compute_types(const TensorIteratorFlags& flags, std::optional<Device> static_device);
  void check_devices(const TensorIteratorFlags& flags, Device common_device) const;
  ScalarType compute_common_dtype();
  void convert_operands(const TensorIteratorFlags& flags, Device common_device);
  void convert_number(OperandInfo& op, ScalarType dtype);
  void compute_strides();
  void reorder_dimensions(bool enforce_linear_iteration);
  void permute_dimensions(IntArrayRef perm);
  void allocate_or_resize_outputs();
  bool set_up_same_layout(const TensorIteratorFlags& flags);
  FastSetupType find_same_layout() const;
  void set_output_like(int64_t arg, IntArrayRef sizes, FastSetupType layout);
  void coalesce_dimensions();
  void fetch_data_pointers();
  void rebind_values();

  c10::SmallVector<OperandInfo, 4> operands_;
  DimVector shape_;
  DimVector perm_; // perm_[i] is the tensor dimension, counted from the front, of dimension i
  DimVector view_offsets_;
  int num_outputs_ = 0;
  ScalarType common_dtype_ = ScalarType::Undefined;
  Device common_device_ = c10::default_device_type;
  bool has_coalesced_dimensions_ = false;
  bool all_ops_same_shape_ = false;
  bool all_ops_are_scalars_ = false;
  bool accumulate_ = false;
  bool final_output_ = true;
  bool is_reduction_ = false;
  bool is_meta_ = false;

 public:
  bool should_accumulate() const {
    return accumulate_;
  }
  bool is_final_output() const {
    return final_output_;
  }
};

struct TORCH_API TensorIterator final : public TensorIteratorBase {
  TensorIterator() = default;
  TensorIterator(const TensorIteratorBase& other) : TensorIteratorBase(other) {}

  static TensorIterator binary_float_op(TensorBase& out, const TensorBase& a, const TensorBase& b);
  static TensorIterator binary_op(TensorBase& out, const TensorBase& a, const TensorBase& b);
  static TensorIterator borrowing_binary_op(
      const TensorBase& out, const TensorBase& a, const TensorBase& b);
  static TensorIterator comparison_op(TensorBase& out, const TensorBase& a, const TensorBase& b);
  static TensorIterator unary_op(TensorBase& out, const TensorBase& a);
  static TensorIterator unary_float_op(TensorBase& out, const TensorBase& a);
  static TensorIterator nullary_op(TensorBase& out);
  static TensorIterator borrowing_nullary_op(const TensorBase& out);
  static TensorIterator reduce_op(TensorBase& out, const TensorBase& a);
  static TensorIterator reduce_op(TensorBase& out1, TensorBase& out2, const TensorBase& a);

  const Tensor& maybe_get_output(int64_t output_idx) override;
  void set_output_raw_strided(
      int64_t output_idx, IntArrayRef sizes, IntArrayRef strides, TensorOptions options,
      DimnameList names = {}) override;
};

class TORCH_API TensorIteratorConfig final {
 public:
  friend struct TensorIteratorBase;

  // add_* functions borrow the tensor unless their name says owned. Add outputs before inputs.
  TensorIteratorConfig& add_output(const TensorBase& output) { return add_borrowed_output(output); }
  TensorIteratorConfig& add_input(const TensorBase& input) { return add_borrowed_input(input); }
  TensorIteratorConfig& add_const_input(const TensorBase& input) {
    return add_borrowed_const_input(input);
  }
  TensorIteratorConfig& add_output(TensorBase&& output) = delete;
  TensorIteratorConfig& add_input(TensorBase&& input) = delete;
  TensorIteratorConfig& add_const_input(TensorBase&& input) = delete;
  TensorIteratorConfig& add_borrowed_output(const TensorBase& output);
  TensorIteratorConfig& add_borrowed_input(const TensorBase& input);
  TensorIteratorConfig& add_borrowed_const_input(const TensorBase& input);
  TensorIteratorConfig& add_owned_output(const TensorBase& output);
  TensorIteratorConfig& add_owned_input(const TensorBase& input);
  TensorIteratorConfig& add_owned_const_input(const TensorBase& input);
  TensorIteratorConfig& add_scalar_input(const Scalar& number);

#define AT_CONFIG_FLAG(setter, field)        \
  TensorIteratorConfig& setter(bool value) { \
    flags_.field = value;                    \
    return *this;                            \
  }
  AT_CONFIG_FLAG(set_check_mem_overlap, check_mem_overlap)
  AT_CONFIG_FLAG(allow_cpu_scalars, allow_cpu_scalars)
  AT_CONFIG_FLAG(is_reduction, is_reduction)
  AT_CONFIG_FLAG(resize_outputs, resize_outputs)
  AT_CONFIG_FLAG(check_all_same_dtype, check_all_same_dtype)
  AT_CONFIG_FLAG(check_all_same_device, check_all_same_device)
  AT_CONFIG_FLAG(enforce_safe_casting_to_output, enforce_safe_casting_to_output)
  AT_CONFIG_FLAG(enforce_linear_iteration, enforce_linear_iteration)
  AT_CONFIG_FLAG(cast_common_dtype_to_outputs, cast_common_dtype_to_outputs)
#undef AT_CONFIG_FLAG
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool value);
  TensorIteratorConfig& promote_integer_inputs_to_float(bool value);
  TensorIteratorConfig& declare_static_dtype_and_device(ScalarType dtype, Device device);
  TensorIteratorConfig& declare_static_dtype(ScalarType dtype);
  TensorIteratorConfig& declare_static_device(Device device);
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape);
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape, IntArrayRef squash_dims);

  TensorIterator build() {
    TensorIterator iter;
    iter.build(*this);
    return iter;
  }

 private:
  struct Entry {
    OperandTensor tensor;
    std::optional<Scalar> number;
    bool is_output = false;
    bool is_const = false;
  };
  TensorIteratorConfig& add(OperandTensor tensor, bool is_output, bool is_const);

  c10::SmallVector<Entry, 4> entries_;
  TensorIteratorFlags flags_;
  std::optional<DimVector> static_shape_;
  std::optional<Device> static_device_;
};

} // namespace at
