#pragma once

#include <ATen/core/TensorBase.h>
#include <c10/util/SmallVector.h>

#include <new>
#include <utility>

// The state of one operand of an iterator, and the options of a build.

namespace at {

// A tensor that the iterator owns or borrows without counting.
class OperandTensor {
 public:
  OperandTensor() noexcept { set_undefined(); }
  OperandTensor(const OperandTensor& other) { assign(other); }
  OperandTensor(OperandTensor&& other) noexcept { take(other); }
  OperandTensor& operator=(const OperandTensor& other) {
    if (this != &other) {
      reset();
      assign(other);
    }
    return *this;
  }
  OperandTensor& operator=(OperandTensor&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~OperandTensor() { reset(); }

  static OperandTensor borrowed(const TensorBase& tensor) {
    OperandTensor result;
    result.borrow(tensor);
    return result;
  }
  static OperandTensor owned(TensorBase tensor) {
    OperandTensor result;
    new (result.storage_) TensorBase(std::move(tensor));
    result.owns_ = true;
    return result;
  }
  void borrow(const TensorBase& tensor) noexcept {
    reset();
    impl_ = tensor.unsafeGetTensorImpl();
  }
  const TensorBase& get() const noexcept { return *reinterpret_cast<const TensorBase*>(storage_); }
  bool defined() const noexcept { return get().defined(); }
  TensorBase release() {
    if (!owns_) {
      return get();
    }
    TensorBase result = std::move(*reinterpret_cast<TensorBase*>(storage_));
    reset();
    return result;
  }

 private:
  void set_undefined() noexcept {
    impl_ = c10::UndefinedTensorImpl::singleton();
    owns_ = false;
  }
  void assign(const OperandTensor& other) {
    owns_ = other.owns_;
    if (owns_) {
      new (storage_) TensorBase(other.get());
    } else {
      impl_ = other.impl_;
    }
  }
  void take(OperandTensor& other) noexcept {
    impl_ = other.impl_;
    owns_ = other.owns_;
    other.set_undefined();
  }
  void reset() noexcept {
    if (owns_) {
      reinterpret_cast<TensorBase*>(storage_)->~TensorBase();
      set_undefined();
    }
  }

  static_assert(sizeof(TensorBase) == sizeof(void*));
  union {
    c10::TensorImpl* impl_;
    alignas(TensorBase) unsigned char storage_[sizeof(TensorBase)];
  };
  bool owns_;
};

struct OperandInfo {
  using StrideVector = c10::SmallVector<int64_t, 6>;

  // A Python or C++ number takes part as an operand without becoming a tensor; zero-dimensional CPU
  // tensors that change dtype are converted into the same buffer.
  static constexpr size_t kValueSize = 16;

  // User-provided, so that construction does not zero the whole object first.
  OperandInfo() noexcept {}

  void* data = nullptr;
  OperandTensor tensor;
  OperandTensor original_tensor; // defined when `tensor` is a temporary of another dtype
  StrideVector stride_bytes;     // in the iterator's dimension order after the build
  Device device = c10::default_device_type;
  ScalarType target_dtype = ScalarType::Undefined;  // what the operator requested
  ScalarType current_dtype = ScalarType::Undefined; // what `data` holds
  bool is_output = false;
  bool will_resize = false;
  bool is_read_write = false;
  bool is_const = false;
  bool is_number = false;   // given as a Scalar; `tensor` is undefined
  bool holds_value = false; // `data` points into `value`
  alignas(16) char value[kValueSize];

  bool is_type_defined() const { return target_dtype != ScalarType::Undefined; }
  const TensorBase& tensor_base() const { return tensor.get(); }
};

enum class FastSetupType : uint8_t { NONE, CONTIGUOUS, CHANNELS_LAST, NON_OVERLAPPING_DENSE };

// Options of a build, set by TensorIteratorConfig or by the build_* functions.
struct TensorIteratorFlags {
  bool check_mem_overlap = true;
  bool allow_cpu_scalars = false;
  bool is_reduction = false;
  bool resize_outputs = true;
  bool check_all_same_dtype = true;
  bool check_all_same_device = true;
  bool enforce_safe_casting_to_output = false;
  bool enforce_linear_iteration = false;
  bool promote_inputs_to_common_dtype = false;
  bool promote_integer_inputs_to_float = false;
  bool cast_common_dtype_to_outputs = false;
  ScalarType static_dtype = ScalarType::Undefined;
};

} // namespace at
