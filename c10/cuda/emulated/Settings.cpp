#include <c10/cuda/emulated/Settings.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace cuda_emulation {

namespace {

// Overwrites `value` if the variable is set.
template <typename T>
void read(const char* name, T& value, int64_t lowest, int64_t highest) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return;
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text, &end, 10);
  if (errno != 0 || *end != '\0' || number < lowest || number > highest) {
    std::fprintf(
        stderr, "%s is '%s', but must be a whole number from %lld to %lld\n", name, text,
        static_cast<long long>(lowest), static_cast<long long>(highest));
    std::_Exit(2);
  }
  value = static_cast<T>(number);
}

} // namespace

Settings settings_from_environment() {
  Settings settings;
  read("CUDA_EMULATION_DEVICES", settings.devices, 0, 16);
  size_t megabytes = settings.memory >> 20;
  read("CUDA_EMULATION_MEMORY_MB", megabytes, 1, 1 << 14);
  settings.memory = megabytes << 20;
  read("CUDA_EMULATION_CAPABILITY", settings.capability, 50, 129);
  read("CUDA_EMULATION_THREADS", settings.threads, 0, 1024);
  read("CUDA_EMULATION_SEED", settings.seed, 0, INT64_MAX);
  read("CUDA_EMULATION_CHECK_ORDER", settings.check_order, 0, 1);
  read("CUDA_LAUNCH_BLOCKING", settings.launch_blocking, 0, 1);
  read("CUDA_EMULATION_CHECK_LEAKS", settings.check_leaks, 0, 1);
  read("CUDA_EMULATION_VIRTUAL_MEMORY", settings.virtual_memory, 0, 1);
  read("CUDA_EMULATION_FAIL_ALLOCATION", settings.fail_allocation, 0, INT64_MAX);
  read("CUDA_EMULATION_FAIL_LAUNCH", settings.fail_launch, 0, INT64_MAX);
  read("CUDA_EMULATION_LOSE_DEVICE", settings.lose_device, 0, INT64_MAX);
  return settings;
}

} // namespace cuda_emulation
