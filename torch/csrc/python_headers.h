#pragma once
// Python.h must come first and must use Py_ssize_t for sizes.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

namespace torch {

// A static type, filled in and readied by its init function.
inline PyTypeObject static_type(const char* name, size_t basic_size) {
  PyTypeObject type{};
  type.ob_base.ob_base.ob_refcnt = 1;
  type.tp_name = name;
  type.tp_basicsize = static_cast<Py_ssize_t>(basic_size);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  return type;
}

} // namespace torch
