// Entries of the CUDA runtime's API: streams, events, and graphs.

#include <c10/cuda/emulated/Runtime.h>

#include <fstream>
#include <utility>

using namespace cuda_emulation;

namespace {

// Runs the body with the stream's queue.
template <typename Body>
cudaError_t with_queue(cudaStream_t stream, Body body) {
  return call([&](Runtime& runtime, Lock& lock) {
    const auto queue = runtime.queue(stream);
    return queue == nullptr ? cudaErrorInvalidResourceHandle : body(runtime, lock, queue);
  });
}

template <typename Body>
cudaError_t with_event(cudaEvent_t event, Body body) {
  return call([&](Runtime& runtime, Lock& lock) {
    return runtime.events().count(event) == 0 ? cudaErrorInvalidResourceHandle
                                              : body(runtime, lock);
  });
}

// A stream that is captured cannot be asked how far it is; nor can an event that was recorded then.
cudaError_t refuse(Capture* capture) {
  if (capture == nullptr) return cudaSuccess;
  capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

// A node that records an event outside of the graph.
cudaError_t capture_record(Runtime& runtime, Queue& queue, cudaEvent_t event) {
  queue.capture->graph->recorded.push_back(event);
  capture_operation(queue, {[&runtime, event] {
                      if (runtime.events().count(event) != 0)
                        event->mark->time = std::chrono::steady_clock::now();
                      return cudaSuccess;
                    }});
  return cudaSuccess;
}

template <typename Handle>
cudaError_t destroy(std::set<Handle*>& handles, Handle* handle) {
  if (handles.erase(handle) == 0) return cudaErrorInvalidResourceHandle;
  delete handle;
  return cudaSuccess;
}

} // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return call([&](Runtime& runtime, Lock&) {
    if (flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    *stream = runtime.create_stream(flags != cudaStreamNonBlocking, priority);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Runtime& runtime, Lock&) {
    return runtime.destroy_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_queue(stream, [&](Runtime&, Lock&, const auto& queue) {
    *priority = queue->priority;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_queue(stream, [&](Runtime& runtime, Lock& lock, const auto& queue) {
    cudaError_t error = refuse(queue->capture.get());
    if (error == cudaSuccess) error = runtime.forbid_in_capture();
    if (error != cudaSuccess) return error;
    return runtime.scheduler().run_until(runtime.scheduler().end_of(queue), lock);
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_queue(stream, [&](Runtime& runtime, Lock& lock, const auto& queue) {
    if (const cudaError_t error = refuse(queue->capture.get()); error != cudaSuccess) return error;
    if (runtime.scheduler().end_of(queue).reached()) return cudaSuccess;
    const cudaError_t error = runtime.scheduler().progress(lock);
    return error == cudaSuccess ? cudaErrorNotReady : error;
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  return with_queue(stream, [&](Runtime& runtime, Lock&, const auto& queue) {
    const bool captured = queue->capture != nullptr;
    return runtime.issue(
        queue,
        {[=] {
           function(user_data);
           return cudaSuccess;
         },
         !captured});
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return call([&](Runtime& runtime, Lock&) {
    if ((flags & ~7U) != 0) return cudaErrorInvalidValue;
    const bool shared = (flags & cudaEventInterprocess) != 0;
    if (shared && (flags & cudaEventDisableTiming) == 0) return cudaErrorInvalidValue;
    *event = *runtime.events().insert(new CUevent_st).first;
    (*event)->timed = (flags & cudaEventDisableTiming) == 0;
    (*event)->shared = shared;
    (*event)->device = thread_state().device;
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](Runtime& runtime, Lock&) { return destroy(runtime.events(), event); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return with_event(event, [&](Runtime& runtime, Lock& lock) {
    const auto queue = runtime.queue(stream);
    if (queue == nullptr || queue->device != event->device) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventRecordExternal && queue->capture != nullptr) {
      return capture_record(runtime, *queue, event);
    }
    if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
    event->capture = queue->capture;
    if (queue->capture != nullptr) {
      event->nodes = queue->tail;
      return cudaSuccess;
    }
    event->mark = std::make_shared<CUevent_st::Mark>();
    const cudaError_t error = runtime.issue(queue, {[mark = event->mark] {
                                              mark->time = std::chrono::steady_clock::now();
                                              return cudaSuccess;
                                            }});
    event->point = runtime.scheduler().end_of(queue);
    // Another process that waits cannot make this one's streams run.
    return error == cudaSuccess && event->shared
        ? runtime.scheduler().run_until(Point(event->point), lock)
        : error;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return with_event(event, [&](Runtime& runtime, Lock&) {
    const auto queue = runtime.queue(stream);
    if (queue == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventWaitExternal && queue->capture != nullptr) {
      queue->capture->graph->awaited.push_back(event);
      return cudaSuccess;
    }
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    if (event->capture != nullptr && event->capture->queues.empty()) {
      return cudaErrorInvalidValue; // its capture has ended
    }
    if (queue->capture != nullptr && queue->capture != event->capture) {
      queue->capture->invalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    if (event->capture != nullptr) {
      join_capture(queue, event->capture, event->nodes);
    } else {
      runtime.scheduler().order(*queue, event->point);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_event(event, [&](Runtime& runtime, Lock& lock) {
    if (const cudaError_t error = refuse(event->capture.get()); error != cudaSuccess) return error;
    if (event->point.reached()) return cudaSuccess;
    const cudaError_t error = runtime.scheduler().progress(lock);
    return error == cudaSuccess ? cudaErrorNotReady : error;
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_event(event, [&](Runtime& runtime, Lock& lock) {
    if (const cudaError_t error = refuse(event->capture.get()); error != cudaSuccess) return error;
    return runtime.scheduler().run_until(Point(event->point), lock);
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return with_event(start, [&](Runtime& runtime, Lock&) {
    if (runtime.events().count(end) == 0 || !start->timed || !end->timed ||
        start->mark == nullptr || end->mark == nullptr) {
      return cudaErrorInvalidResourceHandle;
    }
    if (!start->point.reached() || !end->point.reached()) return cudaErrorNotReady;
    const std::chrono::duration<float, std::milli> elapsed = end->mark->time - start->mark->time;
    *milliseconds = elapsed.count();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_queue(stream, [&](Runtime&, Lock&, const auto& queue) {
    if (queue->id == 0 || queue->capture != nullptr) return cudaErrorStreamCaptureUnsupported;
    begin_capture(queue, mode);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_queue(stream, [&](Runtime& runtime, Lock&, const auto& queue) {
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = queue->capture;
    if (capture == nullptr || capture->origin != queue) return cudaErrorStreamCaptureUnmatched;
    std::shared_ptr<Graph> result;
    const cudaError_t error = end_capture(*capture, result);
    if (error == cudaSuccess) *graph = *runtime.graphs().insert(new CUgraph_st{result}).first;
    return error;
  });
}
cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id) {
  return with_queue(stream, [&](Runtime&, Lock&, const auto& queue) {
    const Capture* capture = queue->capture.get();
    *status = cudaStreamCaptureStatusNone;
    if (capture == nullptr) return cudaSuccess;
    *status = capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
    if (id != nullptr) *id = capture->id;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(stream, status, nullptr);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_state().capture_mode);
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(
    cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  return call([&](Runtime& runtime, Lock&) {
    if (runtime.graphs().count(graph) == 0) return cudaErrorInvalidValue;
    *executable = *runtime.executables().insert(new CUgraphExec_st{graph->graph}).first;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return with_queue(stream, [&](Runtime& runtime, Lock&, const auto& queue) {
    if (runtime.executables().count(executable) == 0) return cudaErrorInvalidValue;
    const std::shared_ptr<Graph> graph = executable->graph;
    for (cudaEvent_t event : graph->awaited) {
      if (runtime.events().count(event) != 0) runtime.scheduler().order(*queue, event->point);
    }
    const cudaError_t error = runtime.issue(
        queue, {[&runtime, graph] { return run_graph(*graph, runtime.scheduler().random()); }});
    for (cudaEvent_t event : graph->recorded) {
      if (runtime.events().count(event) == 0) continue;
      event->mark = std::make_shared<CUevent_st::Mark>();
      event->point = runtime.scheduler().end_of(queue);
    }
    return error;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&](Runtime& runtime, Lock&) { return destroy(runtime.executables(), executable); });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](Runtime& runtime, Lock&) { return destroy(runtime.graphs(), graph); });
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  return call([&](Runtime& runtime, Lock&) {
    if (runtime.graphs().count(graph) == 0) return cudaErrorInvalidValue;
    std::ofstream file(path);
    file << "digraph captured {\n";
    const auto& nodes = graph->graph->nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      file << "  node" << i << ";\n";
      for (const size_t before : nodes[i].after) {
        file << "  node" << before << " -> node" << i << ";\n";
      }
    }
    file << "}\n";
    return file.flush() ? cudaSuccess : cudaErrorInvalidValue;
  });
}
