#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <utility>

// Indexing as in Python, for C++: x.index({0, "...", Slice(1, 3), None, mask}).
namespace at::indexing {

inline constexpr std::nullopt_t None = std::nullopt;

struct EllipsisIndexType final {};
inline constexpr EllipsisIndexType Ellipsis{};

// start:stop:step, each of which may be None.
struct Slice final {
  Slice(
      std::optional<int64_t> start = std::nullopt, std::optional<int64_t> stop = std::nullopt,
      std::optional<int64_t> step = std::nullopt)
      : start(start), stop(stop), step(step.value_or(1)) {}

  std::optional<int64_t> start;
  std::optional<int64_t> stop;
  int64_t step;
};

enum class TensorIndexType { None, Ellipsis, Integer, Boolean, Slice, Tensor };

// One entry between the brackets.
struct TORCH_API TensorIndex final {
  TensorIndex(std::nullopt_t) : type_(TensorIndexType::None) {}
  TensorIndex(EllipsisIndexType) : type_(TensorIndexType::Ellipsis) {}
  TensorIndex(const char* dots);
  TensorIndex(int64_t integer) : type_(TensorIndexType::Integer), integer_(integer) {}
  TensorIndex(int integer) : TensorIndex(static_cast<int64_t>(integer)) {}
  TensorIndex(bool boolean) : type_(TensorIndexType::Boolean), boolean_(boolean) {}
  TensorIndex(Slice slice) : type_(TensorIndexType::Slice), slice_(slice) {}
  TensorIndex(Tensor tensor) : type_(TensorIndexType::Tensor), tensor_(std::move(tensor)) {}

  TensorIndexType type() const { return type_; }
  bool is_none() const { return type_ == TensorIndexType::None; }
  bool is_ellipsis() const { return type_ == TensorIndexType::Ellipsis; }
  bool is_integer() const { return type_ == TensorIndexType::Integer; }
  bool is_boolean() const { return type_ == TensorIndexType::Boolean; }
  bool is_slice() const { return type_ == TensorIndexType::Slice; }
  bool is_tensor() const { return type_ == TensorIndexType::Tensor; }
  int64_t integer() const { return integer_; }
  bool boolean() const { return boolean_; }
  const Slice& slice() const { return slice_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  TensorIndexType type_;
  bool boolean_ = false;
  int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
};

} // namespace at::indexing
