#include <torch/csrc/QScheme.h>

#include <c10/core/QScheme.h>
#include <torch/csrc/utils/python_enum.h>

static PyTypeObject THPQSchemeType = torch::make_enum_type(
    "torch.qscheme", "The scheme of a quantized tensor, such as torch.per_tensor_affine.");

bool THPQScheme_init(PyObject* module) {
  static constexpr const char* names[] = {
      "torch.per_tensor_affine", "torch.per_channel_affine", "torch.per_tensor_symmetric",
      "torch.per_channel_symmetric", "torch.per_channel_affine_float_qparams"};
  if (PyType_Ready(&THPQSchemeType) < 0) return false;
  for (int i = 0; i < c10::COMPILE_TIME_NUM_QSCHEMES; ++i) {
    if (!torch::add_enum_value(module, &THPQSchemeType, i, names[i])) return false;
  }
  return PyModule_AddObjectRef(module, "qscheme", reinterpret_cast<PyObject*>(&THPQSchemeType)) ==
      0;
}
