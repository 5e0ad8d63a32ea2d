// What every C++ source reads first (cmake/Modules/PrecompiledHeaders.cmake): headers of the system
// that most sources include, so that they can be precompiled.
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
