#include <torch/csrc/lazy/backend/aten_backend.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/TensorImpl.h>
#include <torch/csrc/lazy/backend/backend_interface.h>
#include <torch/csrc/lazy/core/direct_calls.h>

#include <utility>

namespace torch::lazy {

namespace {

struct Instruction {
  const char* name;
  Kernel kernel;
  std::vector<size_t> operands;
  std::vector<Shape> shapes;
  size_t first_slot;
  size_t first_scalar;
  std::vector<size_t> released; // the slots whose last use this is
};

// Views of a result are computed from the strides of its shape, so it must have them.
at::Tensor checked_result(const Shape& shape, at::Tensor result, const char* name) {
  if (!shape.defined()) {
    return {};
  }
  TORCH_CHECK(
      result.defined() && result.scalar_type() == shape.dtype &&
          result.sizes() == at::IntArrayRef(shape.sizes),
      name, " was expected to return ", shape.to_string(), " but returned ",
      Shape::of(result).to_string(), ": its kernels for the CPU and for shapes disagree");
  if (!shape.same_places(result.sizes(), result.strides())) {
    const at::Tensor other = std::move(result);
    result = at::empty_strided(shape.sizes, shape.strides, at::TensorOptions().dtype(shape.dtype));
    at::methods::copy_(result, other);
  }
  result.unsafeGetTensorImpl()->set_wrapped_number(shape.is_wrapped_number);
  return result;
}

class AtenComputation final : public Computation {
 public:
  explicit AtenComputation(const Graph& graph) : slots_(graph.slots), outputs_(graph.outputs) {
    for (const Graph::Step& step : graph.steps) {
      const Node& node = *step.node;
      instructions_.push_back(
          {node.op().name,
           node.Lower(),
           step.operands,
           node.shapes(),
           step.first_slot,
           step.first_scalar,
           {}});
    }
    find_last_uses();
  }

  std::vector<at::Tensor> run(
      std::vector<at::Tensor> arguments, const std::vector<at::Scalar>& scalars) const override {
    const DirectCalls guard;
    std::vector<at::Tensor> slots = std::move(arguments);
    slots.resize(slots_);
    for (const Instruction& instruction : instructions_) {
      step(instruction, slots, scalars.data() + instruction.first_scalar);
    }
    std::vector<at::Tensor> results;
    results.reserve(outputs_.size());
    for (const size_t slot : outputs_) {
      results.push_back(slots[slot]);
    }
    return results;
  }

 private:
  static void step(
      const Instruction& instruction, std::vector<at::Tensor>& slots, const at::Scalar* scalars) {
    std::vector<at::Tensor> operands;
    operands.reserve(instruction.operands.size());
    for (const size_t slot : instruction.operands) {
      operands.push_back(slots[slot]);
    }
    Arguments arguments(std::move(operands), scalars);
    std::vector<at::Tensor> results = instruction.kernel(arguments);
    for (size_t i = 0; i < instruction.shapes.size(); ++i) {
      slots[instruction.first_slot + i] =
          checked_result(instruction.shapes[i], std::move(results[i]), instruction.name);
    }
    for (const size_t slot : instruction.released) {
      slots[slot].reset();
    }
  }

  void find_last_uses() {
    std::vector<bool> used(slots_);
    for (const size_t slot : outputs_) {
      used[slot] = true;
    }
    const auto release = [&](Instruction& instruction, size_t slot) {
      if (!used[slot]) {
        used[slot] = true;
        instruction.released.push_back(slot);
      }
    };
    for (auto each = instructions_.rbegin(); each != instructions_.rend(); ++each) {
      for (const size_t slot : each->operands) {
        release(*each, slot);
      }
      for (size_t i = 0; i < each->shapes.size(); ++i) { // results that nothing uses
        release(*each, each->first_slot + i);
      }
    }
  }

  size_t slots_;
  std::vector<size_t> outputs_;
  std::vector<Instruction> instructions_;
};

class AtenBackend final : public BackendInterface {
 public:
  const char* name() const override { return "ATen"; }
  ComputationPtr compile(const Graph& graph) const override {
    return std::make_shared<AtenComputation>(graph);
  }
};

} // namespace

void init_aten_backend() {
  static const AtenBackend backend;
  set_backend(&backend);
}

} // namespace torch::lazy
