#pragma once

#include <c10/macros/Export.h>

#include <string>
#include <vector>

namespace caffe2 {

// Returns "; did you mean X?" for the most similar of the names, or nothing if none is similar.
C10_EXPORT std::string suggest(const std::string& name, const std::vector<std::string>& names);

} // namespace caffe2
