#pragma once

#include <c10/util/Exception.h>

namespace c10::WarningUtils {

// Where the warnings of threads go that have no handler of their own; null stands for standard
// error. The handler must outlive every thread.
C10_API void set_process_warning_handler(WarningHandler* handler) noexcept;

} // namespace c10::WarningUtils
