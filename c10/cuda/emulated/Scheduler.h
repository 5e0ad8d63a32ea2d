#pragma once

#include <c10/cuda/emulated/Random.h>
#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cuda_emulation {

class Queue;
struct Capture;

// A place in a queue: after its first `ticket` operations.
struct Point {
  std::shared_ptr<Queue> queue;
  uint64_t ticket = 0;
  bool reached() const;
};

struct Operation {
  std::function<cudaError_t()> run;
  bool calls_user_code = false; // which may call the runtime or wait for another thread
};

// A stream: operations that nobody has had to wait for yet.
class Queue {
 public:
  Queue(int device, bool blocking, int priority, uint64_t id)
      : device(device), blocking(blocking), priority(priority), id(id) {}
  std::string name() const;

  const int device;
  const bool blocking; // ordered with the default stream
  const int priority;
  const uint64_t id; // 0 for a device's default stream

  struct Waiting {
    Operation operation;
    std::vector<Point> after;
  };
  std::deque<Waiting> waiting;
  std::vector<Point> next_after; // what the next operation has to wait for
  uint64_t issued = 0;
  uint64_t done = 0;
  bool busy = false;
  bool destroyed = false;

  // While the stream is captured: the nodes that the next one follows.
  std::shared_ptr<Capture> capture;
  std::vector<size_t> tail;
};

// Decides what runs when.
//
// Nothing runs until a call has to wait for it, and then the operations of all streams run in an
// order drawn from a seed, within what streams and events prescribe. A stream that is not waited
// for may get ahead or stay behind. So a missing event gives different bytes under some seeds,
// which a test finds by trying a few, and a seed repeats what it showed. Hardware nearly always
// runs the order that one hoped for.
//
// The lock of the runtime is held throughout: the calls of several host threads take turns. It is
// released only for a host function.
class Scheduler {
 public:
  explicit Scheduler(uint64_t seed) : random_(seed) {}

  std::shared_ptr<Queue> create(int device, bool blocking, int priority);
  void issue(const std::shared_ptr<Queue>& queue, Operation operation);
  // Orders what is issued to the queue from now on after the point.
  void order(Queue& queue, Point point);
  Point end_of(const std::shared_ptr<Queue>& queue) const { return {queue, queue->issued}; }

  // Runs until the point is reached. The first error ends it, and drops all that was queued.
  cudaError_t run_until(const Point& point, std::unique_lock<std::mutex>& lock);
  cudaError_t run_all(int device, std::unique_lock<std::mutex>& lock);
  // Runs one operation or none, as a device does while it is asked how far it is.
  cudaError_t progress(std::unique_lock<std::mutex>& lock);

  const std::vector<std::shared_ptr<Queue>>& queues() const { return queues_; }
  Random& random() { return random_; }

 private:
  bool step(std::unique_lock<std::mutex>& lock, cudaError_t& error);
  void drop_all();

  Random random_;
  uint64_t next_id_ = 0;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::condition_variable user_code_ended_;
};

} // namespace cuda_emulation
