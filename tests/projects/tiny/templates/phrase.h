//! Lines like this one are not copied into the generated headers.
/* Made by generator/phrases.py from phrases.yaml and phrase.h. */
#pragma once

/* Writes the phrase into `out`, truncated to `size` bytes. */
__attribute__((visibility("default"))) int tiny_say_${name}(char* out, int size);
