#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <bit>
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

double fraction(std::string_view name, std::string_view value, bool allows_all) {
  const std::string text(value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' ||
      !(number > 0 && (number < 1 || (allows_all && number == 1)))) {
    bad_value(
        name, value,
        allows_all ? "a number from 0, exclusive, to 1" : "a number between 0 and 1, exclusive");
  }
  return number;
}

bool truth(std::string_view name, std::string_view value) {
  if (value != "True" && value != "False") bad_value(name, value, "True or False");
  return value == "True";
}

size_t power_of_two(std::string_view name, std::string_view value, size_t most) {
  const char* const expected = "a power of 2";
  const size_t number = whole_number(name, value, 1, expected);
  if (!std::has_single_bit(number) || number > most) bad_value(name, value, expected);
  return number;
}

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

// Either one number for all sizes, or a list such as [256:1,512:2,>:8]: limits in MiB, and the
// numbers for the sizes below them; `>` stands for all larger sizes.
std::vector<std::pair<size_t, size_t>> divisions(std::string_view name, std::string_view value) {
  constexpr size_t kMost = size_t{1} << 20;
  if (!value.starts_with('[')) return {{kNoLimit, power_of_two(name, value, kMost)}};
  const char* const expected =
      "a power of 2, or a list such as [256:1,512:2,>:8] with ascending powers of 2";
  if (!value.ends_with(']')) bad_value(name, value, expected);
  std::vector<std::pair<size_t, size_t>> found;
  std::string_view rest = value.substr(1, value.size() - 2);
  while (true) {
    const size_t end = rest.find(',');
    const std::string_view entry = rest.substr(0, end);
    const size_t colon = entry.find(':');
    if (colon == std::string_view::npos) bad_value(name, value, expected);
    const std::string_view key = trimmed(entry.substr(0, colon));
    const size_t limit = key == ">" ? kNoLimit : power_of_two(name, key, kMost) << 20;
    if (!found.empty() && limit <= found.back().first) bad_value(name, value, expected);
    found.emplace_back(limit, power_of_two(name, trimmed(entry.substr(colon + 1)), kMost));
    if (end == std::string_view::npos) return found;
    rest = rest.substr(end + 1);
  }
}

void set(Config& config, std::string_view name, std::string_view value) {
  if (name == "max_split_size_mb") {
    // Requests up to 10 MiB are served from segments of 20 MiB, which must stay divisible.
    config.max_split_size = whole_number(name, value, 21, "a whole number of MiB greater than 20")
        << 20;
  } else if (name == "garbage_collection_threshold") {
    config.garbage_collection_threshold = fraction(name, value, false);
  } else if (name == "max_non_split_rounding_mb") {
    config.max_non_split_rounding =
        whole_number(name, value, 21, "a whole number of MiB greater than 20") << 20;
  } else if (name == "per_process_memory_fraction") {
    config.memory_fraction = fraction(name, value, true);
  } else if (name == "roundup_power2_divisions") {
    config.roundup_power2_divisions = divisions(name, value);
  } else if (name == "pinned_use_cuda_host_register") {
    config.registers_pinned_memory = truth(name, value);
  } else if (name == "pinned_num_register_threads") {
    config.pinned_register_threads = power_of_two(name, value, 128);
  } else if (name == "backend") {
    if (value != "native") bad_value(name, value, "native, the only one that is built");
  } else if (name == "expandable_segments") {
    config.expandable_segments = truth(name, value);
  } else {
    TORCH_CHECK_VALUE(
        false, "PYTORCH_CUDA_ALLOC_CONF: '", name,
        "' is unknown. Known are backend, expandable_segments, garbage_collection_threshold, "
        "max_non_split_rounding_mb, max_split_size_mb, per_process_memory_fraction, "
        "pinned_num_register_threads, pinned_use_cuda_host_register and roundup_power2_divisions.");
  }
}

} // namespace

Config parse_config(const std::string& text) {
  Config config;
  std::string_view rest = text;
  while (!trimmed(rest).empty()) {
    // A comma inside of brackets belongs to the value.
    const size_t bracket = rest.find('[');
    const size_t comma = rest.find(',');
    const size_t end = bracket < comma ? rest.find(',', rest.find(']', bracket)) : comma;
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
