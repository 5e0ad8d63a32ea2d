#include <ATen/Context.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/TileUnit.h>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace at::native {

namespace {

#if defined(__x86_64__) && defined(__linux__)

// Linux saves the tiles of a thread only for processes that asked for it.
bool ask_for_tiles() {
  constexpr long kRequest = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

bool processor_has_tiles() {
  constexpr unsigned kBfloat16 = 1u << 22, kTiles = 1u << 24, kBytes = 1u << 25;
  constexpr unsigned kAll = kBfloat16 | kTiles | kBytes;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAll) == kAll;
}

#else

bool ask_for_tiles() {
  return false;
}
bool processor_has_tiles() {
  return false;
}

#endif

} // namespace

bool has_tile_unit() {
  static const bool usable =
      get_cpu_capability() == CPUCapability::AVX512 && processor_has_tiles() && ask_for_tiles();
  return usable && globalContext().userEnabledMkldnn();
}

} // namespace at::native
