// Mistake: host code reads through a pointer of the device.

#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdio>

int main() {
  const c10::DataPtr data = c10::cuda::CUDACachingAllocator::get()->allocate(1000);
  std::printf("%d\n", static_cast<const volatile int*>(data.get())[3]);
}
