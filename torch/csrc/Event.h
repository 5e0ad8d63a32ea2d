#pragma once
// torch.Event
#include <torch/csrc/python_headers.h>

#include <c10/core/Event.h>

#include <optional>

struct THPEvent {
  PyObject_HEAD std::optional<c10::Event> event;
};

extern PyTypeObject THPEventType;
inline bool THPEvent_Check(PyObject* object) {
  return PyObject_TypeCheck(object, &THPEventType);
}
// Returns a new event of a device type, without timing.
PyObject* THPEvent_New(c10::DeviceType type);
bool THPEvent_init(PyObject* module);
