// Calls through the objects that tensor.type() returns, as operators, so that a test calls them.
#include <ATen/core/Tensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/legacy/TypeRegistry.h>
#include <ATen/CPUFloatType.h>
#include <torch/library.h>

#include <string>

namespace {

using at::Tensor;
using at::legacy::Backend;

std::string name_of(const Tensor& t) {
  return t.type().toString();
}

// The name of the type where autograd is excluded.
std::string name_below_autograd(const Tensor& t) {
  const at::AutoDispatchBelowAutograd guard;
  return t.dispatch_type().toString();
}

Tensor add(const Tensor& t, const Tensor& other) {
  return t.dispatch_type().add(t, other, 2);
}

Tensor add_below_autograd(const Tensor& t, const Tensor& other) {
  return at::getNonVariableType(Backend::CPU, t.scalar_type()).add(t, other, 2);
}

Tensor add_out(const Tensor& t, const Tensor& other, Tensor out) {
  return t.type().add_out(out, t, other, 2);
}

std::tuple<Tensor, Tensor> max(const Tensor& t, int64_t dim) {
  return t.type().max(t, dim, true);
}

// A composite operator: no back end has a kernel of its own.
Tensor outer(const Tensor& t, const Tensor& other) {
  return at::getNonVariableType(Backend::CPU, t.scalar_type()).outer(t, other);
}

Tensor zeros(at::IntArrayRef size, at::ScalarType dtype) {
  return at::CPU(dtype).zeros(size, {});
}

Tensor create(Backend backend, at::ScalarType dtype, const at::TensorOptions& options) {
  return at::getType(backend, dtype).empty({2}, options, std::nullopt);
}

Tensor create_wrongly(c10::string_view mistake) {
  if (mistake == "dtype") return create(Backend::CPU, at::kFloat, at::dtype(at::kLong));
  if (mistake == "device") return create(Backend::CPU, at::kFloat, at::device(at::kMeta));
  if (mistake == "layout") return create(Backend::CPU, at::kFloat, at::layout(at::kSparse));
  if (mistake == "element") return create(Backend::CPU, at::kUInt16, {});
  return at::getNonVariableType(Backend::MSNPU, at::kFloat).zeros({2}, {});
}

// Whether the objects are those of the classes, one for each type.
bool identities(const Tensor& t) {
  const auto& base = at::getNonVariableType(Backend::CPU, at::kFloat);
  const auto& variable = at::getType(Backend::CPU, at::kFloat);
  return dynamic_cast<const at::CPUFloatType*>(&base) != nullptr && t.type() == variable &&
      static_cast<const at::VariableType&>(variable).base() == base && !(base == variable) &&
      base.toScalarType(at::kLong).toBackend(Backend::MSNPU) ==
      at::getNonVariableType(Backend::MSNPU, at::kLong) &&
      base.elementSizeInBytes() == 4 && !base.is_cuda() && !base.is_sparse() &&
      base.options().dtype() == at::kFloat && at::getType(t.options()) == variable &&
      at::getNonVariableType(Backend::SparseCPU, at::kFloat).is_sparse();
}

} // namespace

TORCH_LIBRARY(types_test, m) {
  m.def("name_of", &name_of);
  m.def("name_below_autograd", &name_below_autograd);
  m.def("add", &add);
  m.def("add_below_autograd", &add_below_autograd);
  m.def("add_out(Tensor self, Tensor other, Tensor(a!) out) -> Tensor", &add_out);
  m.def("max", &max);
  m.def("outer", &outer);
  m.def("zeros", &zeros);
  m.def("create_wrongly", &create_wrongly);
  m.def("identities", &identities);
}
