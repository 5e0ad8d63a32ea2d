#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string_view>

namespace c10::cuda::CUDACachingAllocator {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

[[noreturn]] void bad_value(std::string_view name, std::string_view value, const char* expected) {
  TORCH_CHECK_VALUE(
      false, "PYTORCH_CUDA_ALLOC_CONF: ", name, " is '", value, "', but must be ", expected);
  C10_UNREACHABLE();
}

size_t whole_number(
    std::string_view name, std::string_view value, size_t least, const char* expected) {
  const std::string text(value);
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] == '-' || *end != '\0' || errno != 0 || number < least ||
      number > (1ULL << 40)) {
    bad_value(name, value, expected);
  }
  return static_cast<size_t>(number);
}

double fraction(std::string_view name, std::string_view value) {
  const std::string text(value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number > 0 && number < 1)) {
    bad_value(name, value, "a number between 0 and 1");
  }
  return number;
}

void set(Config& config, std::string_view name, std::string_view value) {
  if (name == "max_split_size_mb") {
    // Requests up to 10 MiB are served from segments of 20 MiB, which must stay divisible.
    config.max_split_size = whole_number(name, value, 21, "a whole number of MiB greater than 20")
        << 20;
  } else if (name == "garbage_collection_threshold") {
    config.garbage_collection_threshold = fraction(name, value);
  } else if (name == "roundup_power2_divisions") {
    const size_t divisions = whole_number(name, value, 1, "a power of 2");
    if ((divisions & (divisions - 1)) != 0) bad_value(name, value, "a power of 2");
    config.roundup_power2_divisions = divisions;
  } else if (name == "backend") {
    if (value != "native") bad_value(name, value, "native, the only one that is built");
  } else if (name == "expandable_segments") {
    if (value != "True" && value != "False") bad_value(name, value, "True or False");
    config.expandable_segments = value == "True";
  } else {
    TORCH_CHECK_VALUE(
        false, "PYTORCH_CUDA_ALLOC_CONF: '", name,
        "' is unknown. Known are max_split_size_mb, "
        "garbage_collection_threshold, roundup_power2_divisions, backend and "
        "expandable_segments.");
  }
}

} // namespace

Config parse_config(const std::string& text) {
  Config config;
  std::string_view rest = text;
  while (!trimmed(rest).empty()) {
    const size_t end = rest.find(',');
    const std::string_view entry = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    const size_t colon = entry.find(':');
    TORCH_CHECK_VALUE(
        colon != std::string_view::npos, "PYTORCH_CUDA_ALLOC_CONF: '", entry,
        "' has no value; write name:value,name:value");
    set(config, trimmed(entry.substr(0, colon)), trimmed(entry.substr(colon + 1)));
  }
  return config;
}

namespace {

// Values that were replaced stay, since other threads may be reading them.
std::atomic<const Config*>& current() {
  static std::atomic<const Config*> values = [] {
    const char* text = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
    if (text == nullptr) text = std::getenv("PYTORCH_ALLOC_CONF");
    return new Config(parse_config(text == nullptr ? "" : text));
  }();
  return values;
}

} // namespace

const Config& config() {
  return *current();
}
void set_config(const Config& config) {
  current() = new Config(config); // lives as long as the process
}

} // namespace c10::cuda::CUDACachingAllocator
