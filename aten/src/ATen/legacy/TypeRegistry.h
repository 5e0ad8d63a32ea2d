#pragma once

#include <ATen/TypeDefault.h>
#include <ATen/legacy/Backend.h>

#include <array>
#include <memory>

namespace at {

// The type of tensors that record gradients: its operators are the dispatcher's. `base` is the type
// of the same tensor below autograd.
struct TORCH_API VariableType final : public TypeDefault {
  explicit VariableType(const TypeExtendedInterface& base);

  legacy::Backend backend() const override { return base_.backend(); }
  ScalarType scalarType() const override { return base_.scalarType(); }
  // Such as Variable[CPUFloatType].
  const char* toString() const override { return name_.c_str(); }
  bool is_variable() const override { return true; }
  const TypeExtendedInterface& base() const { return base_; }

 private:
  const TypeExtendedInterface& base_;
  std::string name_;
};

// The types by back end and element type. Libraries add theirs when they are loaded; afterwards the
// table only is read.
class TORCH_API LegacyTypeDispatch {
 public:
  void registerType(std::unique_ptr<TypeExtendedInterface> type);

  // Throws if no library registered the type.
  const TypeExtendedInterface& getType(
      legacy::Backend backend, ScalarType scalar_type, bool is_variable) const;
  const TypeExtendedInterface& getType(const TensorOptions& options, bool is_variable) const;
  // The type whose functions a call with this tensor runs: a VariableType, because the call's other
  // tensors may require gradients, unless autograd is excluded on this thread.
  const TypeExtendedInterface& getType(const Tensor& tensor) const;

 private:
  struct Entry {
    std::unique_ptr<TypeExtendedInterface> base;
    std::unique_ptr<VariableType> variable;
  };
  using Row = std::array<Entry, static_cast<size_t>(ScalarType::NumOptions)>;
  std::array<Row, static_cast<size_t>(legacy::Backend::NumOptions)> types_;
};

TORCH_API LegacyTypeDispatch& globalLegacyTypeDispatch();

// The type below autograd: its functions call the kernels of the back end and record no gradients.
TORCH_API const TypeExtendedInterface& getNonVariableType(
    legacy::Backend backend, ScalarType scalar_type);
TORCH_API const TypeExtendedInterface& getType(legacy::Backend backend, ScalarType scalar_type);
TORCH_API const TypeExtendedInterface& getType(const TensorOptions& options);
// at::CPU(kFloat).zeros({2, 3}, {}) creates a tensor of the type.
inline const TypeExtendedInterface& CPU(ScalarType scalar_type) {
  return getType(legacy::Backend::CPU, scalar_type);
}
inline const TypeExtendedInterface& CUDA(ScalarType scalar_type) {
  return getType(legacy::Backend::CUDA, scalar_type);
}

} // namespace at
