#pragma once
// Conversion between mobile archives (mobile_bytecode.fbs) and plain Python data. Both directions
// use the same form, which torch/jit/mobile/_archive.py documents; they know nothing of tensors or
// modules.
#include <torch/csrc/python_headers.h>

#include <cstddef>
#include <cstdint>

namespace torch::jit::mobile {

// Returns the content of an archive as a tuple. Storages are pairs (offset, size) of the buffer, so
// that their bytes need not be copied. Raises RuntimeError if the buffer is not a sound archive:
// all offsets are checked first.
PyObject* archive_to_python(const uint8_t* data, size_t size);

// Returns the bytes of the archive that such a tuple describes, whose storages are objects with the
// buffer protocol.
PyObject* archive_from_python(PyObject* content);

} // namespace torch::jit::mobile
