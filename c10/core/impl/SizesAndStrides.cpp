#include <c10/core/impl/SizesAndStrides.h>

#include <algorithm>
#include <new>

namespace c10::impl {

void SizesAndStrides::resize_slow(size_t size) {
  const size_t old_size = size_;
  const size_t new_capacity = std::max(size, kInlineDims);
  const size_t kept = std::min(old_size, size);
  int64_t* old_data = data();
  const size_t old_capacity = capacity();

  if (size <= kInlineDims) { // back from the heap to the inline words
    int64_t* heap = heap_;
    copy_words(inline_, heap, kept);
    copy_words(inline_ + kInlineDims, heap + old_capacity, kept);
    std::free(heap);
    size_ = size;
    return;
  }
  auto* fresh = static_cast<int64_t*>(std::calloc(2 * new_capacity, sizeof(int64_t)));
  if (fresh == nullptr) {
    throw std::bad_alloc();
  }
  copy_words(fresh, old_data, kept);
  copy_words(fresh + new_capacity, old_data + old_capacity, kept);
  if (!is_inline()) {
    std::free(heap_);
  }
  heap_ = fresh;
  size_ = size;
}

} // namespace c10::impl
