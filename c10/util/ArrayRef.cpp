#include <c10/util/ArrayRef.h>

#include <ostream>

namespace c10::detail {

void print_int_list(std::ostream& out, const int64_t* data, size_t size) {
  out << '[';
  for (size_t i = 0; i < size; ++i) {
    out << (i ? ", " : "") << data[i];
  }
  out << ']';
}

void array_ref_index_error(size_t index, size_t size) {
  TORCH_CHECK(false, "ArrayRef: invalid index Index = ", index, "; Length = ", size);
}

} // namespace c10::detail
