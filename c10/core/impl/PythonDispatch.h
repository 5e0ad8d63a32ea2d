#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/intrusive_ptr.h>

namespace c10 {
struct TensorImpl;

namespace impl {

// Detaches a tensor whose Python class handles operators, through that class. Set when
// libtorch_python loads.
extern C10_API intrusive_ptr<TensorImpl> (*python_detach)(const TensorImpl* tensor);

} // namespace impl
} // namespace c10
