#pragma once
// Closed sets of named numbers, such as _ConvBackend, as classes of Python's enum module.
#include <torch/csrc/python_headers.h>

#include <span>
#include <string>
#include <utility>

namespace torch {

using EnumerationMember = std::pair<const char*, int>;

// enum.Enum(NAME, {member: number}, module=MODULE) under its name in `module`; a borrowed reference
// that lives as long as the process, or nullptr.
PyObject* add_enumeration(
    PyObject* module, const char* name, std::span<const EnumerationMember> members);

// The member with this number: a new reference.
PyObject* enumeration_member(PyObject* enumeration, int number);
// Throws python_error (TypeError) when `object` is no member; `function` is named in the message.
int unpack_enumeration(PyObject* enumeration, PyObject* object, const char* function);

} // namespace torch
