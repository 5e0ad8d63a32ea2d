#pragma once
// torch._C._StaticStep and torch._C._static_kernel_names, in a build with BUILD_STATIC_RUNTIME.
#include <torch/csrc/python_headers.h>

namespace torch::jit::static_runtime {

bool init_bindings(PyObject* module);

} // namespace torch::jit::static_runtime
