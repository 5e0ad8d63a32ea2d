#include <c10/cuda/emulated/Fiber.h>

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace cuda_emulation {

namespace {

constexpr size_t kGuard = 4096;
// The emulated libraries run the CPU's loops, whose tiles of tens of kilobytes are on the stack;
// pages that are not used cost nothing.
constexpr size_t kStack = size_t{256} << 10;

// Stacks of fibers that ended. Each host thread has its own list, and frees it when it ends.
struct StackCache {
  std::vector<std::byte*> free;
  ~StackCache() {
    for (std::byte* stack : free) {
      munmap(stack, kGuard + kStack);
    }
  }
};
thread_local StackCache stack_cache;

std::byte* take_stack() {
  if (!stack_cache.free.empty()) {
    std::byte* stack = stack_cache.free.back();
    stack_cache.free.pop_back();
    return stack;
  }
  void* stack = mmap(
      nullptr, kGuard + kStack, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, kGuard, PROT_NONE) != 0) {
    std::perror("cuda_emulation: no stack for a thread of a block");
    std::_Exit(2);
  }
  return static_cast<std::byte*>(stack);
}

void give_stack(std::byte* stack) {
  unpoison(stack + kGuard, kStack);
  stack_cache.free.push_back(stack);
}

} // namespace

Fiber::Fiber(std::function<void(Fiber&)> body) : body_(std::move(body)), stack_(take_stack()) {
  inside_ = boost::context::detail::make_fcontext(stack_ + kGuard + kStack, kStack, &Fiber::enter);
}

Fiber::~Fiber() {
  give_stack(stack_);
}

void Fiber::resume() {
#if CUDA_EMULATION_ASAN
  __sanitizer_start_switch_fiber(&fake_outside_, stack_ + kGuard, kStack);
#endif
  inside_ = boost::context::detail::jump_fcontext(inside_, this).fctx;
#if CUDA_EMULATION_ASAN
  __sanitizer_finish_switch_fiber(fake_outside_, nullptr, nullptr);
#endif
}

void Fiber::leave([[maybe_unused]] bool for_good) {
#if CUDA_EMULATION_ASAN
  __sanitizer_start_switch_fiber(
      for_good ? nullptr : &fake_inside_, outside_bottom_, outside_size_);
#endif
  outside_ = boost::context::detail::jump_fcontext(outside_, this).fctx;
#if CUDA_EMULATION_ASAN
  __sanitizer_finish_switch_fiber(fake_inside_, &outside_bottom_, &outside_size_);
#endif
}

void Fiber::suspend() {
  leave(false);
}

void Fiber::abandon() {
  finished_ = true;
  leave(true);
  std::abort();
}

void Fiber::enter(boost::context::detail::transfer_t transfer) {
  auto* self = static_cast<Fiber*>(transfer.data);
#if CUDA_EMULATION_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &self->outside_bottom_, &self->outside_size_);
#endif
  self->outside_ = transfer.fctx;
  self->body_(*self);
  self->abandon();
}

} // namespace cuda_emulation
