#include <torch/csrc/ContextSettings.h>

#include <ATen/Context.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/python_arg_parser.h>
#include <torch/csrc/utils/python_enumeration.h>

#include <array>
#include <string_view>

namespace torch {

namespace {

using at::Float32MatmulPrecision;
using at::LinalgBackend;

constexpr EnumerationMember kLinalgBackends[] = {
    {"Default", static_cast<int>(LinalgBackend::Default)},
    {"Cusolver", static_cast<int>(LinalgBackend::Cusolver)},
    {"Magma", static_cast<int>(LinalgBackend::Magma)}};
Enumeration linalg_backends{"_LinalgBackend", kLinalgBackends};

bool unpack_switch(PyObject* object, const char* what) {
  if (!PyBool_Check(object)) {
    throw_python(
        PyExc_RuntimeError, "%s expects a bool, but got %s", what, Py_TYPE(object)->tp_name);
  }
  return object == Py_True;
}

// ---- deterministic algorithms

PyObject* set_deterministic_algorithms(
    PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  HANDLE_TH_ERRORS
  static constexpr Parameter parameters[] = {
      {"mode", ParameterType::Bool, kRequired, 0},
      {"warn_only", ParameterType::Bool, kHasDefault | kKeywordOnly, 0}};
  static constexpr Signature signatures[] = {
      {"(bool mode, *, bool warn_only=False)", parameters, 2, 1, false}};
  static constexpr PythonArgParser parser("_set_deterministic_algorithms", signatures, 1, kPlain);
  ParsedArgs<2> r;
  parser.parse(r, nullptr, args, nargs, kwnames);
  at::globalContext().setDeterministicAlgorithms(r.boolean(0), r.boolean(1));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_deterministic_algorithms(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().deterministicAlgorithms());
}

PyObject* get_deterministic_algorithms_warn_only(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().deterministicAlgorithmsWarnOnly());
}

PyObject* set_deterministic_fill_uninitialized_memory(PyObject*, PyObject* fill) {
  HANDLE_TH_ERRORS
  if (!PyBool_Check(fill)) {
    throw_python(PyExc_RuntimeError, "expected a bool, but got %s", Py_TYPE(fill)->tp_name);
  }
  at::globalContext().setDeterministicFillUninitializedMemory(fill == Py_True);
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_deterministic_fill_uninitialized_memory(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().deterministicFillUninitializedMemory());
}

// ---- numbers

constexpr std::array kPrecisions = {
    std::pair("highest", Float32MatmulPrecision::HIGHEST),
    std::pair("high", Float32MatmulPrecision::HIGH),
    std::pair("medium", Float32MatmulPrecision::MEDIUM)};

PyObject* set_float32_matmul_precision(PyObject*, PyObject* precision) {
  HANDLE_TH_ERRORS
  if (!PyUnicode_Check(precision)) {
    throw_python(
        PyExc_RuntimeError, "set_float32_matmul_precision expects a str, but got %s",
        Py_TYPE(precision)->tp_name);
  }
  const char* const text = PyUnicode_AsUTF8(precision);
  if (!text) throw_python_error();
  for (const auto& [name, value] : kPrecisions) {
    if (std::string_view(text) == name) {
      at::globalContext().setFloat32MatmulPrecision(value);
      Py_RETURN_NONE;
    }
  }
  TORCH_WARN(
      text,
      " is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision call "
      "has no effect.");
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_float32_matmul_precision(PyObject*, PyObject*) {
  const auto current = at::globalContext().float32MatmulPrecision();
  for (const auto& [name, value] : kPrecisions)
    if (value == current) return PyUnicode_FromString(name);
  Py_UNREACHABLE();
}

PyObject* set_flush_denormal(PyObject*, PyObject* on) {
  HANDLE_TH_ERRORS
  return PyBool_FromLong(at::globalContext().setFlushDenormal(unpack_switch(on, "flush_denormal")));
  END_HANDLE_TH_ERRORS
}

// Whether float32 convolutions may be computed by tiles, and products by the processor's tile unit.
PyObject* set_mkldnn_enabled(PyObject*, PyObject* on) {
  HANDLE_TH_ERRORS
  at::globalContext().setUserEnabledMkldnn(unpack_switch(on, "set_enabled_mkldnn"));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_mkldnn_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(at::globalContext().userEnabledMkldnn());
}

// ---- warnings

PyObject* set_warn_always(PyObject*, PyObject* on) {
  HANDLE_TH_ERRORS
  c10::WarningUtils::set_warnAlways(unpack_switch(on, "setWarnOnlyOnce"));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_warn_always(PyObject*, PyObject*) {
  return PyBool_FromLong(c10::WarningUtils::get_warnAlways());
}

// ---- libraries

PyObject* set_linalg_preferred_backend(PyObject*, PyObject* backend) {
  HANDLE_TH_ERRORS
  const int number = linalg_backends.unpack(backend, "_set_linalg_preferred_backend");
  at::globalContext().setLinalgPreferredBackend(static_cast<LinalgBackend>(number));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_linalg_preferred_backend(PyObject*, PyObject*) {
  return linalg_backends.member(static_cast<int>(at::globalContext().linalgPreferredBackend()));
}

} // namespace

PyMethodDef context_methods[] = {
    {"_set_deterministic_algorithms",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(set_deterministic_algorithms)),
     METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"_get_deterministic_algorithms", get_deterministic_algorithms, METH_NOARGS, nullptr},
    {"_get_deterministic_algorithms_warn_only", get_deterministic_algorithms_warn_only, METH_NOARGS,
     nullptr},
    {"_set_deterministic_fill_uninitialized_memory", set_deterministic_fill_uninitialized_memory,
     METH_O, nullptr},
    {"_get_deterministic_fill_uninitialized_memory", get_deterministic_fill_uninitialized_memory,
     METH_NOARGS, nullptr},
    {"_set_float32_matmul_precision", set_float32_matmul_precision, METH_O, nullptr},
    {"_get_float32_matmul_precision", get_float32_matmul_precision, METH_NOARGS, nullptr},
    {"set_flush_denormal", set_flush_denormal, METH_O,
     "set_flush_denormal(mode) -> bool\n"
     "\n"
     "Set whether this thread treats denormal numbers as 0, which is faster.\n"
     "\n"
     "Returns:\n"
     "    Whether the processor supports it."},
    {"_set_mkldnn_enabled", set_mkldnn_enabled, METH_O, nullptr},
    {"_get_mkldnn_enabled", get_mkldnn_enabled, METH_NOARGS, nullptr},
    {"_set_warnAlways", set_warn_always, METH_O, nullptr},
    {"_get_warnAlways", get_warn_always, METH_NOARGS, nullptr},
    {"_set_linalg_preferred_backend", set_linalg_preferred_backend, METH_O, nullptr},
    {"_get_linalg_preferred_backend", get_linalg_preferred_backend, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

bool initLinalgBackend(PyObject* module) {
  return linalg_backends.add_to(module);
}

} // namespace torch
