#pragma once
#include <string_view>
namespace c10 {
using std::string_view;
} // namespace c10
