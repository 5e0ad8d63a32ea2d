#include <c10/util/UniqueVoidPtr.h>

namespace c10::detail {

void deleteNothing(void*) {}

} // namespace c10::detail
