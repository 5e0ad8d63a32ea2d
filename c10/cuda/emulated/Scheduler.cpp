#include <c10/cuda/emulated/Scheduler.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace cuda_emulation {

bool Point::reached() const {
  return queue == nullptr || queue->done >= ticket;
}

std::string Queue::name() const {
  return id == 0 ? "the default stream" : "stream " + std::to_string(id);
}

std::shared_ptr<Queue> Scheduler::create(int device, bool blocking, int priority) {
  const uint64_t id = device < 0 ? 0 : ++next_id_;
  queues_.push_back(std::make_shared<Queue>(device < 0 ? ~device : device, blocking, priority, id));
  return queues_.back();
}

void Scheduler::order(Queue& queue, Point point) {
  if (!point.reached()) queue.next_after.push_back(std::move(point));
}

// The default stream waits for the device's blocking streams, and they for it.
void Scheduler::issue(const std::shared_ptr<Queue>& queue, Operation operation) {
  if (queue->blocking) {
    for (const auto& other : queues_) {
      if (other != queue && other->device == queue->device && other->blocking &&
          (queue->id == 0 || other->id == 0)) {
        order(*queue, end_of(other));
      }
    }
  }
  queue->waiting.push_back({std::move(operation), std::exchange(queue->next_after, {})});
  queue->issued += 1;
}

bool Scheduler::step(std::unique_lock<std::mutex>& lock, cudaError_t& error) {
  std::vector<std::shared_ptr<Queue>> runnable;
  for (const auto& queue : queues_) {
    if (queue->busy || queue->waiting.empty()) continue;
    const auto& after = queue->waiting.front().after;
    if (std::all_of(after.begin(), after.end(), [](const Point& p) { return p.reached(); })) {
      runnable.push_back(queue);
    }
  }
  if (runnable.empty()) return false;
  const std::shared_ptr<Queue> queue = runnable[random_.below(runnable.size())];
  const Operation operation = std::move(queue->waiting.front().operation);
  queue->waiting.pop_front();
  if (operation.calls_user_code) {
    queue->busy = true;
    lock.unlock();
    error = operation.run();
    lock.lock();
    queue->busy = false;
    user_code_ended_.notify_all();
  } else {
    error = operation.run();
  }
  queue->done += 1;
  if (error != cudaSuccess) drop_all();
  std::erase_if(
      queues_, [](const auto& other) { return other->destroyed && other->waiting.empty(); });
  return true;
}

void Scheduler::drop_all() {
  for (const auto& queue : queues_) {
    queue->done += queue->waiting.size();
    queue->waiting.clear();
    queue->next_after.clear();
  }
}

cudaError_t Scheduler::run_until(const Point& point, std::unique_lock<std::mutex>& lock) {
  cudaError_t error = cudaSuccess;
  while (!point.reached()) {
    if (step(lock, error)) {
      if (error != cudaSuccess) return error;
    } else if (std::any_of(queues_.begin(), queues_.end(), [](auto& q) { return q->busy; })) {
      user_code_ended_.wait(lock);
    } else {
      std::fputs("cuda_emulation: streams wait for each other\n", stderr);
      std::abort();
    }
  }
  return cudaSuccess;
}

cudaError_t Scheduler::run_all(int device, std::unique_lock<std::mutex>& lock) {
  std::vector<Point> ends;
  for (const auto& queue : queues_) {
    if (queue->device == device) ends.push_back(end_of(queue));
  }
  for (const Point& end : ends) {
    const cudaError_t error = run_until(end, lock);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t Scheduler::progress(std::unique_lock<std::mutex>& lock) {
  cudaError_t error = cudaSuccess;
  if (random_.below(2) == 0) step(lock, error);
  return error;
}

} // namespace cuda_emulation
