// Headers of the C++ library that most sources include. canonical_command.sh compiles them once per set of flags
// and has GCC read the result before a source. Only headers that emit no code and that no macro of ours
// changes belong here: the objects must stay the same.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
#ifdef __AVX2__
#include <immintrin.h>
#endif
