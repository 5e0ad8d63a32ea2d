// The methods Tensor::type and Tensor::dispatch_type are declared with the operators' methods.
#undef TORCH_TENSOR_METHODS
#include <ATen/legacy/TypeRegistry.h>

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <string>
#include <utility>

namespace at {

VariableType::VariableType(const TypeExtendedInterface& base)
    : base_(base), name_(std::string("Variable[") + base.toString() + "]") {}

void LegacyTypeDispatch::registerType(std::unique_ptr<TypeExtendedInterface> type) {
  auto& row = types_[static_cast<size_t>(type->backend())];
  Entry& entry = row[static_cast<size_t>(type->scalarType())];
  TORCH_CHECK(!entry.base, type->toString(), " is registered already");
  entry.base = std::move(type);
  entry.variable = std::make_unique<VariableType>(*entry.base);
}

const TypeExtendedInterface& LegacyTypeDispatch::getType(
    legacy::Backend backend, ScalarType scalar_type, bool is_variable) const {
  TORCH_CHECK(
      backend < legacy::Backend::NumOptions && scalar_type < ScalarType::NumOptions,
      "there is no type for an undefined back end or element type");
  const Entry& entry = types_[static_cast<size_t>(backend)][static_cast<size_t>(scalar_type)];
  TORCH_CHECK_NOT_IMPLEMENTED(
      entry.base, "there is no type ", legacy::toString(backend), scalar_type,
      "Type in this build");
  if (is_variable) return *entry.variable;
  return *entry.base;
}

const TypeExtendedInterface& LegacyTypeDispatch::getType(
    const TensorOptions& options, bool is_variable) const {
  const legacy::Backend backend = legacy::backend_of(options.computeDispatchKey());
  TORCH_CHECK_NOT_IMPLEMENTED(
      backend != legacy::Backend::Undefined, "there is no type for tensors on ", options.device(),
      " with the layout ", options.layout());
  return getType(backend, c10::typeMetaToScalarType(options.dtype()), is_variable);
}

const TypeExtendedInterface& LegacyTypeDispatch::getType(const Tensor& tensor) const {
  TORCH_CHECK(tensor.defined(), "an undefined tensor has no type");
  const bool below_autograd =
      c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::AutogradFunctionality);
  return getType(tensor.options(), !below_autograd);
}

LegacyTypeDispatch& globalLegacyTypeDispatch() {
  static LegacyTypeDispatch instance;
  return instance;
}

const TypeExtendedInterface& getNonVariableType(legacy::Backend backend, ScalarType scalar_type) {
  return globalLegacyTypeDispatch().getType(backend, scalar_type, false);
}

const TypeExtendedInterface& getType(legacy::Backend backend, ScalarType scalar_type) {
  return globalLegacyTypeDispatch().getType(backend, scalar_type, true);
}

const TypeExtendedInterface& getType(const TensorOptions& options) {
  return globalLegacyTypeDispatch().getType(options, true);
}

const TypeExtendedInterface& Tensor::type() const {
  return globalLegacyTypeDispatch().getType(*this);
}

const TypeExtendedInterface& Tensor::dispatch_type() const {
  return globalLegacyTypeDispatch().getType(*this);
}

} // namespace at
