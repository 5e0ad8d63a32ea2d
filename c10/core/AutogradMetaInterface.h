#pragma once

#include <c10/macros/Macros.h>

#include <cstdint>
#include <memory>

namespace at {
class Tensor;
class TensorBase;
} // namespace at

namespace c10 {

struct TensorImpl;

// Autograd's data on a tensor. The concrete class lives in a library above this one.
struct C10_API AutogradMetaInterface {
  virtual ~AutogradMetaInterface();
  virtual void set_requires_grad(bool requires_grad, TensorImpl* self) = 0;
  virtual bool requires_grad() const = 0;
  virtual at::Tensor& mutable_grad() = 0;
  virtual const at::Tensor& grad() const = 0;
  virtual const at::Tensor& fw_grad(uint64_t level, const at::TensorBase& self) const = 0;
  virtual void set_fw_grad(
      const at::TensorBase& new_grad, const at::TensorBase& self, uint64_t level,
      bool is_inplace_op) = 0;
};

namespace impl {
// Makes AutogradMeta objects; installed by the autograd library when it loads.
struct C10_API AutogradMetaFactory {
  virtual ~AutogradMetaFactory();
  virtual std::unique_ptr<AutogradMetaInterface> make() const = 0;
  virtual const at::Tensor& undefined_tensor() const = 0;
};
C10_API void SetAutogradMetaFactory(AutogradMetaFactory* factory);
C10_API AutogradMetaFactory* GetAutogradMetaFactory();
} // namespace impl

} // namespace c10
