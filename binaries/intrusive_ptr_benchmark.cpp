// Compares c10::intrusive_ptr with std::shared_ptr: to make one, and to copy one.
#include "timing.h"

#include <c10/util/intrusive_ptr.h>

#include <cstdio>
#include <memory>
#include <utility>

namespace {

struct Counted : c10::intrusive_ptr_target {
  explicit Counted(int given) : value(given) {}
  int value;
};
struct Plain {
  explicit Plain(int given) : value(given) {}
  int value;
};

constexpr size_t kCalls = 100000;
volatile int sink = 0;

} // namespace

int main() {
  const auto counted = c10::make_intrusive<Counted>(1);
  const auto plain = std::make_shared<Plain>(1);
  const auto report = [](const char* name, double intrusive, double shared) {
    std::printf("%-6s intrusive_ptr %6.1f ns   shared_ptr %6.1f ns\n", name, intrusive, shared);
  };
  report(
      "make", nanoseconds(kCalls, [] { sink = c10::make_intrusive<Counted>(2)->value; }),
      nanoseconds(kCalls, [] { sink = std::make_shared<Plain>(2)->value; }));
  const auto copied = [](const auto& pointer) {
    return [&pointer] {
      auto copy = pointer; // NOLINT(performance-unnecessary-copy-initialization)
      sink = copy->value;
    };
  };
  report("copy", nanoseconds(kCalls, copied(counted)), nanoseconds(kCalls, copied(plain)));
}
