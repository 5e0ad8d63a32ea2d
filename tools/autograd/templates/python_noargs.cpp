// ${schemas}
PyObject* THPVariable_${name}(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    if (PyObject* result = method_override(self, "${name}")) return result;
  }
${body}
  END_HANDLE_TH_ERRORS
}
