#pragma once
// Converts values of boxed calls to and from Python, using the operator's schema.
#include <ATen/core/function_schema.h>
#include <torch/csrc/python_headers.h>

#include <optional>

namespace torch {

// Returns nullopt, without setting a Python error, if the object cannot be of this type.
std::optional<c10::IValue> to_ivalue(PyObject* object, const c10::SchemaType& type);
// Returns a new reference.
PyObject* to_python(const c10::IValue& value, const c10::SchemaType& type);

} // namespace torch
