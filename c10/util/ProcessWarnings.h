#pragma once

#include <c10/util/Exception.h>

namespace c10::WarningUtils {

// Sets the handler for warnings of threads without their own; null means standard error. The
// handler must outlive every thread.
C10_API void set_process_warning_handler(WarningHandler* handler) noexcept;

} // namespace c10::WarningUtils
