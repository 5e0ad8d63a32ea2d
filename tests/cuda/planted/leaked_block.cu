// Mistake: the owner of a block gives it up without freeing it. (The program asks for the check of
// leaks with CUDA_EMULATION_CHECK_LEAKS=1.)

#include <c10/cuda/CUDACachingAllocator.h>

int main() {
  c10::DataPtr freed = c10::cuda::CUDACachingAllocator::get()->allocate(2000);
  c10::DataPtr leaked = c10::cuda::CUDACachingAllocator::get()->allocate(3000);
  leaked.release_context();
}
