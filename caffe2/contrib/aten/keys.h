#pragma once

#include <c10/macros/Export.h>

#include <string>
#include <vector>

namespace caffe2::aten {

// The keys of ATenOp's implementations, such as "add-2".
C10_EXPORT std::vector<std::string> implementation_keys();

} // namespace caffe2::aten
