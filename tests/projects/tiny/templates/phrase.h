//! Lines like this one stay here: nobody includes them.
/* Made by generator/phrases.py from phrases.yaml and phrase.h. */
#pragma once

/* Says the phrase into `out`, cut at `size` bytes. */
__attribute__((visibility("default"))) int tiny_say_${name}(char* out, int size);
