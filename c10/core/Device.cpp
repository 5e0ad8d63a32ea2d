#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <charconv>
#include <cctype>
#include <mutex>
#include <ostream>

namespace c10 {

namespace {

std::mutex privateuse1_mutex;
std::string privateuse1_name = "privateuseone";
bool privateuse1_renamed = false;

std::string upper(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

// The device types that strings can name, in the order in which PyTorch lists them.
constexpr DeviceType kListed[] = {kCPU,    kCUDA, kIPU,  kXPU,  kMKLDNN, kOPENGL,     kOPENCL,
                                  kIDEEP,  kHIP,  kVE,   kFPGA, kMAIA,   kXLA,        kLazy,
                                  kVulkan, kMPS,  kMeta, kHPU,  kMTIA,   kPrivateUse1};
static_assert(std::size(kListed) + 1 == COMPILE_TIME_MAX_DEVICE_TYPES, "all but Metal");

DeviceType parse_type(const std::string& name) {
  std::string known;
  for (DeviceType type : kListed) {
    const std::string its_name = DeviceTypeName(type, true);
    if (name == its_name) {
      return type;
    }
    known += (known.empty() ? "" : ", ") + its_name;
  }
  if (name == "privateuseone") {
    return DeviceType::PrivateUse1;
  }
  TORCH_CHECK(false, "Expected one of ", known, " device type at start of device string: ", name);
}

} // namespace

std::string DeviceTypeName(DeviceType type, bool lower_case) {
  switch (type) {
#define C10_NAME(type, number, name)                                                         \
  case DeviceType::type:                                                                     \
    return DeviceType::type == DeviceType::PrivateUse1 ? get_privateuse1_backend(lower_case) \
                                                       : (lower_case ? name : upper(name));
    C10_FORALL_DEVICE_TYPES(C10_NAME)
#undef C10_NAME
    default:
      TORCH_CHECK(false, "Unknown device: ", static_cast<int>(type));
  }
}

bool isValidDeviceType(DeviceType type) {
  return static_cast<int>(type) >= 0 && static_cast<int>(type) < COMPILE_TIME_MAX_DEVICE_TYPES;
}

std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << DeviceTypeName(type, true);
}

void register_privateuse1_backend(const std::string& name) {
  std::lock_guard<std::mutex> lock(privateuse1_mutex);
  TORCH_CHECK(
      !privateuse1_renamed || privateuse1_name == name,
      "torch.register_privateuse1_backend() has already been set! Current backend: ",
      privateuse1_name);
  privateuse1_name = name;
  privateuse1_renamed = true;
}

bool is_privateuse1_backend_registered() {
  std::lock_guard<std::mutex> lock(privateuse1_mutex);
  return privateuse1_renamed;
}

std::string get_privateuse1_backend(bool lower_case) {
  std::lock_guard<std::mutex> lock(privateuse1_mutex);
  return lower_case ? privateuse1_name : upper(privateuse1_name);
}

Device::Device(const std::string& text) : type_(DeviceType::CPU) {
  TORCH_CHECK(!text.empty(), "Device string must not be empty");
  const size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const std::string digits = text.substr(colon + 1);
    int index = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool leading_zero = digits.size() > 1 && digits[0] == '0';
    TORCH_CHECK(
        !digits.empty() && error == std::errc() && end == digits.data() + digits.size() &&
            index >= 0 && index <= INT8_MAX && !leading_zero,
        "Invalid device string: '", text, "'");
    index_ = static_cast<DeviceIndex>(index);
  }
  const std::string type = text.substr(0, colon);
  const auto is_word = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  TORCH_CHECK(
      !type.empty() && std::all_of(type.begin(), type.end(), is_word), "Invalid device string: '",
      text, "'");
  type_ = parse_type(type);
}

std::string Device::str() const {
  std::string text = DeviceTypeName(type_, true);
  if (has_index()) {
    text += ":" + std::to_string(index_);
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << device.str();
}

} // namespace c10
