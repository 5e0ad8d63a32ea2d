#pragma once

/* For programs that call the library; nothing here includes it. */
#define TINY_LONGEST 64
