#include <stdio.h>

#include "greet.h"

int main(void) {
  char text[64];
  for (int index = 0; tiny_greet(index, text, sizeof text) == 0; ++index) {
    puts(text);
  }
  return 0;
}
