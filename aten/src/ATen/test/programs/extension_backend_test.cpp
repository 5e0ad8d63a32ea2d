// A back end whose kernels an extension registers: calls with its device reach them.

#include <ATen/ATen.h>
#include <torch/library.h>

#include <gtest/gtest.h>

namespace {

int calls = 0;

at::Tensor tensor_of(at::IntArrayRef sizes, at::ScalarType type) {
  c10::Storage storage(
      c10::Storage::use_byte_size_t{}, 0, c10::DataPtr(nullptr, c10::Device(at::kMAIA)));
  auto impl = c10::make_intrusive<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::MAIA),
      c10::scalarTypeToTypeMeta(type));
  impl->set_sizes_contiguous(sizes);
  return at::Tensor(c10::intrusive_ptr<c10::TensorImpl>(std::move(impl)));
}

at::Tensor empty(
    at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
    std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat>) {
  return tensor_of(sizes, type.value_or(at::kFloat));
}

at::Tensor add(const at::Tensor& self, const at::Tensor&, const at::Scalar&) {
  ++calls;
  return tensor_of(self.sizes(), self.scalar_type());
}

TORCH_LIBRARY_IMPL(aten, MAIA, m) {
  m.impl("empty.memory_format", empty);
  m.impl("add.Tensor", add);
}

TEST(ExtensionBackend, CallsReachItsKernels) {
  const at::Tensor x = at::empty({2, 3}, at::TensorOptions(at::kMAIA).dtype(at::kDouble));
  EXPECT_EQ(x.device(), at::Device(at::kMAIA));
  EXPECT_EQ(x.scalar_type(), at::kDouble);
  const at::Tensor y = at::add(x, x);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(y.sizes(), x.sizes());
  EXPECT_EQ(y.device(), x.device());
}

TEST(ExtensionBackend, OperatorsWithoutAKernelAreRefused) {
  const at::Tensor x = at::empty({2, 2}, at::TensorOptions(at::kMAIA));
  try {
    at::mm(x, x);
    FAIL();
  } catch (const c10::NotImplementedError& error) {
    EXPECT_NE(std::string(error.what()).find("aten::mm"), std::string::npos) << error.what();
  }
}

} // namespace
