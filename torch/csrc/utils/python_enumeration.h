#pragma once
// Closed sets of named numbers, such as _ConvBackend, as classes of Python's enum module.
#include <torch/csrc/python_headers.h>

#include <span>
#include <string>
#include <utility>

namespace torch {

using EnumerationMember = std::pair<const char*, int>;

// Creates enum.Enum(NAME, {member: number}, module=MODULE) and adds it to `module` under its name.
// Returns a borrowed reference that lives as long as the process, or nullptr.
PyObject* add_enumeration(
    PyObject* module, const char* name, std::span<const EnumerationMember> members);

// Returns the member with this number as a new reference.
PyObject* enumeration_member(PyObject* enumeration, int number);
// Throws python_error (TypeError) if `object` is not a member; the message names `function`.
int unpack_enumeration(PyObject* enumeration, PyObject* object, const char* function);

} // namespace torch
