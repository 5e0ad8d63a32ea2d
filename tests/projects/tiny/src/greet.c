#include "greet.h"

#include <ctype.h>
#include <stdio.h>

int tiny_count(void) {
  int count = 0;
  while (tiny_words[count]) {
    ++count;
  }
  return count;
}

int tiny_greet(int index, char* out, int size) {
  if (index < 0 || index >= tiny_count()) {
    return -1;
  }
  snprintf(out, (size_t)size, "%s%s", tiny_words[index], TINY_ENDING);
#if TINY_LOUD
  for (; *out; ++out) {
    *out = (char)toupper((unsigned char)*out);
  }
#endif
  return 0;
}
