#include <torch/csrc/MemoryFormat.h>

#include <torch/csrc/utils/python_enum.h>

PyTypeObject THPMemoryFormatType = torch::make_enum_type(
    "torch.memory_format",
    "The order of a tensor's dimensions in memory, such as torch.channels_last.");
static PyObject* formats[static_cast<int>(c10::MemoryFormat::NumOptions)];

bool THPMemoryFormat_init(PyObject* module) {
  static constexpr const char* names[] = {
      "torch.contiguous_format", "torch.preserve_format", "torch.channels_last",
      "torch.channels_last_3d"};
  if (PyType_Ready(&THPMemoryFormatType) < 0) return false;
  for (int i = 0; i < static_cast<int>(c10::MemoryFormat::NumOptions); ++i) {
    formats[i] = torch::add_enum_value(module, &THPMemoryFormatType, i, names[i]);
    if (!formats[i]) return false;
  }
  PyObject* type = reinterpret_cast<PyObject*>(&THPMemoryFormatType);
  return PyModule_AddObjectRef(module, "memory_format", type) == 0;
}

c10::MemoryFormat THPMemoryFormat_Unpack(PyObject* object) {
  return static_cast<c10::MemoryFormat>(reinterpret_cast<THPEnum*>(object)->value);
}

PyObject* THPMemoryFormat_Get(c10::MemoryFormat format) {
  return formats[static_cast<int>(format)];
}
