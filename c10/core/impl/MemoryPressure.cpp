#include <c10/core/impl/MemoryPressure.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

namespace c10::impl {

namespace {

constexpr size_t kReadBytes = 8192;

// Reads the start of a small kernel file without using the heap, because memory may be short.
bool read_file(const std::string& path, char (&text)[kReadBytes]) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) {
    return false;
  }
  std::setvbuf(file, nullptr, _IONBF, 0);
  const size_t length = std::fread(text, 1, kReadBytes - 1, file);
  std::fclose(file);
  text[length] = '\0';
  return length != 0;
}

// Returns the number after a name at the start of a line.
std::optional<uint64_t> field(const char* text, const char* name) {
  const size_t length = std::strlen(name);
  for (const char* line = text; line != nullptr; line = std::strchr(line, '\n')) {
    line += *line == '\n';
    if (std::strncmp(line, name, length) == 0) {
      return std::strtoull(line + length, nullptr, 10);
    }
    if (*line == '\0') {
      break;
    }
  }
  return std::nullopt;
}

bool machine_is_short(const std::string& path) {
  char text[kReadBytes];
  if (!read_file(path, text)) {
    return false;
  }
  const auto total = field(text, "MemTotal:");
  const auto available = field(text, "MemAvailable:");
  return total && available && *available < *total / 10;
}

// Page cache can be reclaimed, so only anonymous memory counts against the limit.
bool group_is_short(const std::string& folder) {
  char text[kReadBytes];
  if (!read_file(folder + "/memory.max", text) || std::strncmp(text, "max", 3) == 0) {
    return false;
  }
  const uint64_t limit = std::strtoull(text, nullptr, 10);
  if (!read_file(folder + "/memory.stat", text)) {
    return false;
  }
  const auto used = field(text, "anon ");
  return used && *used > limit - limit / 10;
}

} // namespace

bool memory_is_short(const MemorySources& sources) {
  return machine_is_short(sources.meminfo) || group_is_short(sources.cgroup);
}

bool memory_is_short() {
  static const auto* sources = new MemorySources;
  static std::atomic<int64_t> next_check{0};
  static std::atomic<bool> short_now{false};
  constexpr int64_t kInterval = 100'000'000; // nanoseconds
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t time = now.tv_sec * 1'000'000'000 + now.tv_nsec;
  int64_t due = next_check.load(std::memory_order_relaxed);
  if (time >= due && next_check.compare_exchange_strong(due, time + kInterval)) {
    short_now.store(memory_is_short(*sources), std::memory_order_relaxed);
  }
  return short_now.load(std::memory_order_relaxed);
}

} // namespace c10::impl
