#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <atomic>
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

DeviceType parse_type(const std::string& name, const std::string& whole) {
  for (DeviceType type :
       {DeviceType::CPU, DeviceType::CUDA, DeviceType::Meta, DeviceType::PrivateUse1}) {
    if (name == DeviceTypeName(type, true)) {
      return type;
    }
  }
  if (name == "privateuseone") {
    return DeviceType::PrivateUse1;
  }
  TORCH_CHECK(
      false, "Expected one of cpu, cuda, meta, ", get_privateuse1_backend(),
      " device type at start of device string: ", whole.substr(0, whole.find(':')));
}

} // namespace

std::string DeviceTypeName(DeviceType type, bool lower_case) {
  switch (type) {
    case DeviceType::CPU:
      return lower_case ? "cpu" : "CPU";
    case DeviceType::CUDA:
      return lower_case ? "cuda" : "CUDA";
    case DeviceType::Meta:
      return lower_case ? "meta" : "META";
    case DeviceType::PrivateUse1:
      return get_privateuse1_backend(lower_case);
    default:
      TORCH_CHECK(false, "Unknown device: ", static_cast<int>(type));
  }
}

bool isValidDeviceType(DeviceType type) {
  return type == DeviceType::CPU || type == DeviceType::CUDA || type == DeviceType::Meta ||
      type == DeviceType::PrivateUse1;
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
  type_ = parse_type(text.substr(0, colon), text);
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

std::ostream& operator<<(std::ostream& out, const Stream& stream) {
  return out << "stream " << stream.id() << " on device " << stream.device();
}

namespace impl {

DeviceGuardImplInterface::~DeviceGuardImplInterface() = default;

namespace {
std::atomic<const DeviceGuardImplInterface*> guards[COMPILE_TIME_MAX_DEVICE_TYPES] = {};
}

void registerDeviceGuardImpl(DeviceType type, const DeviceGuardImplInterface* impl) {
  guards[static_cast<size_t>(type)].store(impl);
}
const DeviceGuardImplInterface* getDeviceGuardImplOrNull(DeviceType type) {
  return guards[static_cast<size_t>(type)].load(std::memory_order_acquire);
}

} // namespace impl
} // namespace c10
