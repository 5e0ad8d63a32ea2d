#pragma once

#define TINY_EXPORT __attribute__((visibility("default")))

/* The words of words.yaml, ended by a null pointer; generated. */
extern const char* const tiny_words[];

/* Writes a greeting of word number `index` into `out`, cut at `size` bytes; -1 when there is none.
 */
TINY_EXPORT int tiny_greet(int index, char* out, int size);
TINY_EXPORT int tiny_count(void);
