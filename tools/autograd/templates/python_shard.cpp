${generated}
#include <torch/csrc/autograd/utils/wrap_outputs.h>
#include <torch/csrc/utils/python_arg_parser.h>

${includes}

namespace torch::autograd {

${return_types}
${left_out}

namespace {

${functions}
}  // namespace

PyMethodDef ${table}[] = {
    ${rows}
    {nullptr, nullptr, 0, nullptr}};

}  // namespace torch::autograd
//@section function
${schemas}
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
//@section noargs
${schemas}
PyObject* THPVariable_${name}(PyObject* self, PyObject*) {
  HANDLE_TH_ERRORS
  if (!THPVariable_CheckExact(self)) [[unlikely]] {
    if (PyObject* result = method_override(self, "${name}")) return result;
  }
  ${body}
  END_HANDLE_TH_ERRORS
}
//@section left_out_declaration
[[nodiscard]] PyObject* raise_left_out(const char* name);
//@section left_out
PyObject* THPVariable_${name}(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) {
  return raise_left_out("${name}");
}
//@section schema
// ${schema}
//@section parameters
static constexpr Parameter parameters_${index}[] = {
    ${rows}};
//@section no_parameters
static constexpr const Parameter* parameters_${index} = nullptr;
//@section signature
{"${text}", parameters_${index}, ${count}, ${positional}, ${hidden}},
//@section case
case ${index}: {
  ${body}
}
//@section out
if (r.has(${index})) {
  ${body}
}
//@section row
{"${name}", ${function}, ${flags},
 ${doc}},
