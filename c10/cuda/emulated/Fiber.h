#pragma once

#include <c10/cuda/emulated/Sanitizer.h>

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <functional>

namespace cuda_emulation {

// A stack on which a function runs until it gives control back. Boost.Context's lowest layer does
// the switching: its higher ones unwind abandoned stacks by throwing, but a kernel's thread is
// abandoned from inside a signal handler, where throwing is not possible. What an abandoned thread
// held is not destroyed; kernels hold nothing but numbers.
//
// A stack has 64 KiB (256 KiB for the address sanitizer) above a closed page, and is reused.
class Fiber {
 public:
  explicit Fiber(std::function<void(Fiber&)> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body, from where it last gave control back, until it does so again.
  void resume();
  // Called by the body: returns from the resume() that runs it.
  void suspend();
  // Whether the body's function has ended or was abandoned by `suspend(true)`.
  bool finished() const { return finished_; }
  [[noreturn]] void abandon();

 private:
  static void enter(boost::context::detail::transfer_t transfer);
  void leave(bool for_good);

  std::function<void(Fiber&)> body_;
  std::byte* stack_;
  boost::context::detail::fcontext_t inside_ = nullptr;
  boost::context::detail::fcontext_t outside_ = nullptr;
  bool finished_ = false;
  // For the address sanitizer, which must be shown every change of stacks.
  void* fake_inside_ = nullptr;
  void* fake_outside_ = nullptr;
  const void* outside_bottom_ = nullptr;
  size_t outside_size_ = 0;
};

} // namespace cuda_emulation
