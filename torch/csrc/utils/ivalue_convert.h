#pragma once
// Values of boxed calls to and from Python, guided by the operator's schema.
#include <ATen/core/function_schema.h>
#include <torch/csrc/python_headers.h>

#include <optional>

namespace torch {

// Nothing when the object cannot be of this type; no Python error is set then.
std::optional<c10::IValue> to_ivalue(PyObject* object, const c10::SchemaType& type);
// A new reference.
PyObject* to_python(const c10::IValue& value, const c10::SchemaType& type);

} // namespace torch
