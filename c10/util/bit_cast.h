#pragma once
#include <bit>
namespace c10 {
using std::bit_cast;
} // namespace c10
