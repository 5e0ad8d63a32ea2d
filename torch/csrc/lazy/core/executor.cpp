#include <torch/csrc/lazy/core/executor.h>

#include <torch/csrc/lazy/core/metrics.h>

#include <algorithm>
#include <chrono>

namespace torch::lazy {

// Never destroyed: tensors may outlive the library's statics.
LazyGraphExecutor& LazyGraphExecutor::get() {
  static auto* instance = new LazyGraphExecutor;
  return *instance;
}

void LazyGraphExecutor::add(LazyData* data) {
  const std::lock_guard<std::mutex> lock(live_mutex_);
  live_.insert(data);
}

void LazyGraphExecutor::remove(LazyData* data) {
  const std::lock_guard<std::mutex> lock(live_mutex_);
  live_.erase(data);
}

void LazyGraphExecutor::mark_step() {
  const TraceLock trace_lock;
  TORCH_LAZY_COUNTER("MarkStep", 1);
  // In the order in which tensors were made, which is the same in every step.
  std::vector<std::pair<int64_t, Value>> pending;
  {
    const std::lock_guard<std::mutex> lock(live_mutex_);
    for (const LazyData* data : live_) {
      if (!data->value().data().defined()) {
        pending.emplace_back(data->id(), data->value());
      }
    }
  }
  std::sort(pending.begin(), pending.end(), [](const auto& one, const auto& other) {
    return one.first < other.first;
  });
  std::vector<Value> outputs;
  outputs.reserve(pending.size());
  for (auto& [id, value] : pending) {
    outputs.push_back(std::move(value));
  }
  run(outputs);
}

void LazyGraphExecutor::sync(at::TensorList tensors) {
  const TraceLock lock;
  std::vector<Value> outputs;
  outputs.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    outputs.push_back(data_of(tensor).value());
  }
  run(outputs);
}

at::Tensor LazyGraphExecutor::data(const at::Tensor& tensor) {
  const TraceLock lock;
  const Value value = value_of(tensor);
  if (!value.data().defined()) {
    // The whole storage, so that it is not computed again for another view.
    sync({tensor});
    run({value});
  }
  return value.data();
}

Graph LazyGraphExecutor::graph_of(at::TensorList tensors) {
  const TraceLock lock;
  std::vector<Value> outputs;
  outputs.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) {
    outputs.push_back(value_of(tensor));
  }
  return Graph::of(outputs);
}

void LazyGraphExecutor::run(const std::vector<Value>& outputs) {
  std::vector<Value> wanted;
  std::copy_if(outputs.begin(), outputs.end(), std::back_inserter(wanted), [](const Value& value) {
    return !value.data().defined();
  });
  if (wanted.empty()) {
    return;
  }
  const Graph graph = Graph::of(wanted);
  const ComputationPtr computation = compiled(graph);
  std::vector<at::Tensor> arguments;
  arguments.reserve(graph.arguments.size());
  for (const Value& argument : graph.arguments) {
    arguments.push_back(argument.data());
  }
  record_sample("TensorsGraphSize", static_cast<double>(graph.steps.size()));
  const auto start = std::chrono::steady_clock::now();
  std::vector<at::Tensor> results = computation->run(std::move(arguments), graph.scalars);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  record_sample("ExecuteSeconds", seconds.count());
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i].node->set_data(wanted[i].index, std::move(results[i]));
  }
}

ComputationPtr LazyGraphExecutor::compiled(const Graph& graph) {
  const auto known = cache_.find(graph.hash);
  if (known != cache_.end()) {
    TORCH_LAZY_COUNTER("CachedCompile", 1);
    recent_.splice(recent_.begin(), recent_, known->second);
    return known->second->second;
  }
  TORCH_LAZY_COUNTER("UncachedCompile", 1);
  ComputationPtr computation = backend().compile(graph);
  recent_.emplace_front(graph.hash, computation);
  cache_[graph.hash] = recent_.begin();
  if (recent_.size() > kCachedComputations) {
    cache_.erase(recent_.back().first);
    recent_.pop_back();
  }
  return computation;
}

void LazyGraphExecutor::clear_cache() {
  const TraceLock lock;
  cache_.clear();
  recent_.clear();
}

} // namespace torch::lazy
