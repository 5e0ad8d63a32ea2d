#pragma once

// A trace: the operators that this thread calls, with their arguments and results, in order.

#include <ATen/core/Tensor.h>
#include <ATen/core/boxing/to_ivalue.h>
#include <ATen/core/dispatch/OperatorEntry.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <string>
#include <vector>

namespace torch::jit::tracer {

// One call. Its values are not copied: a tensor that is changed later shows the change.
struct TracedCall {
  const c10::OperatorEntry* op;
  std::vector<c10::IValue> inputs;
  std::vector<c10::IValue> outputs;
};

class TORCH_API Trace {
 public:
  const std::vector<TracedCall>& calls() const { return calls_; }
  void add(TracedCall&& call) { calls_.push_back(std::move(call)); }
  // One line per call, "%2 = aten::add.Tensor(%0, %1, 1)". Tensors are numbered in order of
  // appearance, so a result has the same number when later calls use it.
  std::string str() const;

 private:
  std::vector<TracedCall> calls_;
};

// Whether this thread's calls are being recorded.
TORCH_API bool isTracing();
TORCH_API void startTracing();
TORCH_API Trace stopTracing();

// The keys of the kernels below the tracer.
constexpr c10::DispatchKeySet after_tracer(
    c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::Tracer);

// A call in progress; the calls that its kernel makes are not recorded. A call that throws leaves
// no line.
class TORCH_API CallRecord {
 public:
  explicit CallRecord(const c10::OperatorEntry& op)
      : call_{&op, {}, {}}, guard_(c10::DispatchKey::Tracer) {}

  template <typename... Args>
  void inputs(const Args&... arguments) {
    call_.inputs.reserve(sizeof...(Args));
    (call_.inputs.push_back(c10::impl::to_ivalue(arguments)), ...);
  }
  template <typename Result>
  void outputs(const Result& result) {
    c10::impl::push_result(call_.outputs, result);
    finish();
  }
  // For operators without results.
  void finish();

 private:
  TracedCall call_;
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

} // namespace torch::jit::tracer
