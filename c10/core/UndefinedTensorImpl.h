#pragma once

#include <c10/core/TensorImpl.h>

namespace c10 {

// The object that undefined tensors point to: one immortal instance, which saves null checks
// everywhere.
struct C10_API UndefinedTensorImpl final : public TensorImpl {
  static constexpr TensorImpl* singleton() { return &instance_; }
  const char* tensorimpl_type_name() const override { return "UndefinedTensorImpl"; }

 private:
  UndefinedTensorImpl();
  static UndefinedTensorImpl instance_;
};

} // namespace c10

namespace at {
using c10::UndefinedTensorImpl;
} // namespace at
