#pragma once

#define TINY_EXPORT __attribute__((visibility("default")))

/* The generated words of words.yaml, terminated by a null pointer. */
extern const char* const tiny_words[];

/* Writes a greeting of word number `index` into `out`, truncated to `size` bytes. Returns -1 if
 * there is no such word.
 */
TINY_EXPORT int tiny_greet(int index, char* out, int size);
TINY_EXPORT int tiny_count(void);
