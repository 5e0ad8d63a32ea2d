#pragma once
// torch.Stream
#include <torch/csrc/python_headers.h>

#include <c10/core/Stream.h>

struct THPStream {
  PyObject_HEAD c10::Stream stream;
};

extern PyTypeObject THPStreamType;
PyObject* THPStream_Wrap(const c10::Stream& stream);
bool THPStream_init(PyObject* module);
