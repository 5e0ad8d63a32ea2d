// ${schemas}
PyObject* THPVariable_${name}(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
${parameters}
  static constexpr Signature signatures[] = {
${signatures}
  };
  static constexpr PythonArgParser parser("${name}", signatures, ${count}, ${flags});
  ParsedArgs<${slots}> r;
  switch (parser.parse(r, ${receiver}, args, nargs, kwnames)) {
${cases}
  }
  return parser.call_override(${receiver}, args, nargs, kwnames);
  END_HANDLE_TH_ERRORS
}
