#pragma once
// Messages from a process to a manager: one packet each, a verb and the name of an object.
#include <climits>
#include <cstddef>
#include <string>
#include <string_view>

namespace torch::shm {

enum class Verb : char { Hold = 'H', Release = 'R' };

constexpr size_t kLongestMessage = 1 + NAME_MAX;

inline std::string encode(Verb verb, std::string_view name) {
  return static_cast<char>(verb) + std::string(name);
}

} // namespace torch::shm
