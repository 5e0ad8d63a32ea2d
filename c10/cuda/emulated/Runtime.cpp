#include <c10/cuda/emulated/Runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace cuda_emulation {

namespace {

std::unique_ptr<Runtime>& instance() {
  static auto* runtime = new std::unique_ptr<Runtime>; // owned by the process
  return *runtime;
}

void report_leaks_at_exit() {
  const auto lines = Runtime::get().leaks();
  for (const std::string& line : lines) {
    std::fprintf(stderr, "cuda_emulation: leaked %s\n", line.c_str());
  }
  if (!lines.empty()) {
    std::fflush(stderr);
    std::_Exit(1);
  }
}

std::string text_of(const dim3& size) {
  return "(" + std::to_string(size.x) + "," + std::to_string(size.y) + "," +
      std::to_string(size.z) + ")";
}

} // namespace

Runtime& Runtime::get() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (instance() == nullptr) {
      instance() = std::make_unique<Runtime>(settings_from_environment());
    }
    if (instance()->settings().check_leaks) std::atexit(report_leaks_at_exit);
  });
  return *instance();
}

void Runtime::reset(const Settings& settings) {
  get();
  instance().reset();
  instance() = std::make_unique<Runtime>(settings);
  thread_state() = {};
}

Runtime::Runtime(const Settings& settings) : settings_(settings), scheduler_(settings.seed) {
  for (int device = 0; device < settings.devices; ++device) {
    memories_.push_back(std::make_unique<DeviceMemory>(device, settings.memory));
    watch(*memories_.back());
    default_queues_.push_back(scheduler_.create(~device, true, 0));
  }
  install_fault_handler();
}

Runtime::~Runtime() {
  for (auto& memory : memories_) {
    unwatch(*memory);
  }
  for (cudaStream_t stream : streams_) {
    delete stream;
  }
  for (cudaEvent_t event : events_) {
    delete event;
  }
  for (cudaGraph_t graph : graphs_) {
    delete graph;
  }
  for (cudaGraphExec_t executable : executables_) {
    delete executable;
  }
}

ThreadState& thread_state() {
  thread_local ThreadState state;
  return state;
}

DeviceMemory* Runtime::memory_of(const void* pointer) {
  for (auto& memory : memories_) {
    if (memory->contains(pointer)) return memory.get();
  }
  return nullptr;
}

std::shared_ptr<Queue> Runtime::queue(cudaStream_t stream) {
  if (stream == nullptr) return default_queues_[static_cast<size_t>(thread_state().device)];
  return streams_.count(stream) != 0 ? stream->queue : nullptr;
}

cudaStream_t Runtime::create_stream(bool blocking, int priority) {
  const auto queue = scheduler_.create(thread_state().device, blocking, priority);
  return *streams_.insert(new CUstream_st{queue}).first;
}

bool Runtime::destroy_stream(cudaStream_t stream) {
  if (streams_.erase(stream) == 0) return false;
  stream->queue->destroyed = true; // what it holds still runs
  delete stream;
  return true;
}

cudaError_t Runtime::issue(const std::shared_ptr<Queue>& queue, Operation operation) {
  if (queue->capture != nullptr) {
    if (queue->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    capture_operation(*queue, std::move(operation));
    return cudaSuccess;
  }
  if (queue->id == 0) {
    for (const auto& other : scheduler_.queues()) {
      if (other->capture != nullptr && other->blocking && other->device == queue->device) {
        other->capture->invalid = true;
        return cudaErrorStreamCaptureImplicit;
      }
    }
  }
  scheduler_.issue(queue, std::move(operation));
  return cudaSuccess;
}

cudaError_t Runtime::forbid_in_capture() {
  const cudaStreamCaptureMode own = thread_state().capture_mode;
  if (own == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& queue : scheduler_.queues()) {
    Capture* capture = queue->capture.get();
    if (capture == nullptr || capture->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool same_thread = capture->thread == std::this_thread::get_id();
    const bool all_threads =
        capture->mode == cudaStreamCaptureModeGlobal && own == cudaStreamCaptureModeGlobal;
    if (same_thread || all_threads) {
      capture->invalid = true;
      return cudaErrorStreamCaptureUnsupported;
    }
  }
  return cudaSuccess;
}

// Where the runtime finds the bytes; sets `problem` if they are not all of one live block.
std::byte* Runtime::bytes_for(const void* pointer, size_t bytes, std::string& problem) {
  DeviceMemory* memory = memory_of(pointer);
  if (memory == nullptr) return static_cast<std::byte*>(const_cast<void*>(pointer));
  uintptr_t start = 0;
  const DeviceMemory::Block* block = memory->find(pointer, &start);
  const void* last = static_cast<const char*>(pointer) + bytes - 1;
  if (block == nullptr || reinterpret_cast<uintptr_t>(last) >= start + block->bytes) {
    problem = "it used " + memory->describe(block == nullptr ? pointer : last);
  } else if (memory->closed_part(pointer) != nullptr || memory->closed_part(last) != nullptr) {
    const void* closed = memory->closed_part(pointer) != nullptr ? pointer : last;
    problem = "it used " + memory->describe(closed) +
        "; a use on another stream needs record_stream or an event";
  }
  return memory->alias(pointer);
}

cudaError_t Runtime::copy(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, int device) {
  std::string problem;
  std::byte* target = bytes_for(to, bytes, problem);
  const std::byte* source = bytes_for(from, bytes, problem);
  if (!problem.empty()) {
    report(
        "a copy of " + std::to_string(bytes) + " bytes (cudaMemcpyKind " + std::to_string(kind) +
        ") on device " + std::to_string(device) + ": " + problem);
    return sticky = cudaErrorIllegalAddress;
  }
  std::memmove(target, source, bytes);
  return cudaSuccess;
}

cudaError_t Runtime::set(void* pointer, int value, size_t bytes) {
  std::string problem;
  std::byte* target = bytes_for(pointer, bytes, problem);
  if (!problem.empty()) {
    report("a memset of " + std::to_string(bytes) + " bytes: " + problem);
    return sticky = cudaErrorIllegalAddress;
  }
  std::memset(target, value, bytes);
  return cudaSuccess;
}

cudaError_t Runtime::run(Execution& execution, const void* code, int device, bool check_order) {
  std::string problem;
  if (++launches_ == settings_.fail_launch) {
    problem = "CUDA_EMULATION_FAIL_LAUNCH asked for this failure";
  } else {
    std::vector<DeviceMemory*> reachable;
    for (int other = 0; other < settings_.devices; ++other) {
      if (peers(device, other)) reachable.push_back(&memory(other));
    }
    const int threads = settings_.threads != 0
        ? settings_.threads
        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    problem = run_kernel(execution, reachable, threads, check_order && settings_.check_order);
  }
  if (problem.empty()) return cudaSuccess;
  report(
      "kernel " + kernel_name(code) + ", grid " + text_of(execution.shape.grid) + ", block " +
      text_of(execution.shape.block) + ", device " + std::to_string(device) + ": " + problem);
  switch (execution.failure) {
    case Execution::Failure::Address:
      return sticky = cudaErrorIllegalAddress;
    case Execution::Failure::Assertion:
      return sticky = cudaErrorAssert;
    default:
      return sticky = cudaErrorLaunchFailure;
  }
}

void Runtime::report(const std::string& text) {
  last_report_ = text;
  std::fprintf(stderr, "cuda_emulation: %s\n", text.c_str());
}

std::vector<std::string> Runtime::leaks() const {
  std::vector<std::string> lines;
  const auto holds_parts = [&](uintptr_t start, size_t bytes) {
    const auto part = parts_.lower_bound(reinterpret_cast<void*>(start)); // NOLINT
    return part != parts_.end() && reinterpret_cast<uintptr_t>(part->first) < start + bytes;
  };
  for (const auto& memory : memories_) {
    for (const auto& [start, block] : memory->blocks()) {
      if (holds_parts(start, block.bytes)) continue;
      lines.push_back(
          "a block of " + std::to_string(block.bytes) + " bytes (allocation " +
          std::to_string(block.serial) + " of device " + std::to_string(block.device) + ")");
    }
  }
  for (const auto& [pointer, part] : parts_) {
    if (part.second.empty()) continue; // in the allocator's cache
    lines.push_back(
        "a part of " + std::to_string(part.first) + " bytes that an allocator gave out for " +
        part.second);
  }
  return lines;
}

// ---- what tests and allocators ask

void reset(const Settings& settings) {
  Runtime::reset(settings);
}
const Settings& settings() {
  return Runtime::get().settings();
}
std::string last_report() {
  Runtime& runtime = Runtime::get();
  const Lock lock(runtime.mutex);
  return runtime.last_report();
}
std::vector<std::string> leaks() {
  Runtime& runtime = Runtime::get();
  const Lock lock(runtime.mutex);
  return runtime.leaks();
}

namespace {

// Opens or closes the part when the stream gets there, if it still exists then.
void annotate(void* part, size_t bytes, cudaStream_t stream, bool open) {
  Runtime& runtime = Runtime::get();
  const Lock lock(runtime.mutex);
  DeviceMemory* memory = runtime.memory_of(part);
  if (memory == nullptr || runtime.sticky != cudaSuccess) return;
  // A block may be freed while another device is current; the default stream is its own device's.
  const int current = std::exchange(thread_state().device, memory->device());
  const auto queue = runtime.queue(stream);
  thread_state().device = current;
  if (queue == nullptr) return;
  if (queue->capture != nullptr) return; // a graph keeps its memory
  runtime.parts()[part] = {bytes, open ? queue->name() : ""};
  uintptr_t start = 0;
  const auto* block = memory->find(part, &start);
  if (block == nullptr) return;
  runtime.issue(queue, {[=, serial = block->serial, name = queue->name()] {
                  const auto* now = memory->find(part);
                  if (now == nullptr || now->serial != serial) return cudaSuccess;
                  if (open) {
                    memory->open_part(part, bytes);
                  } else {
                    memory->close_part(part, bytes, name);
                  }
                  return cudaSuccess;
                }});
}

} // namespace

void annotate_allocation(void* part, size_t bytes, cudaStream_t stream) {
  annotate(part, bytes, stream, true);
}
void annotate_free(void* part, size_t bytes, cudaStream_t stream) {
  annotate(part, bytes, stream, false);
}

} // namespace cuda_emulation
