#pragma once

#include <stdio.h>

/* Every kernel writes at most `size` bytes of `text` into `out`. */
static inline int tiny_copy(const char* format, const char* text, char* out, int size) {
  return snprintf(out, (size_t)size, format, text, text) < 0 ? -1 : 0;
}
