#pragma once
// Python objects as values of operators' types, for extensions.
#include <torch/csrc/python_headers.h>

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <optional>

namespace torch::python {

// Returns nullopt, without setting a Python error, if the object cannot be of this type.
// Enumerations such as dtypes become their numbers.
TORCH_API std::optional<c10::IValue> value_of(PyObject* object, c10::TypeKind kind);
// Returns a new reference; throws an exception if Python raised one.
TORCH_API PyObject* object_of(const c10::IValue& value, c10::TypeKind kind);

} // namespace torch::python
