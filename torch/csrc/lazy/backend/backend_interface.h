#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>
#include <torch/csrc/lazy/core/graph.h>

#include <memory>
#include <vector>

namespace torch::lazy {

// A compiled graph. It keeps nothing of the trace that it was compiled from.
class TORCH_API Computation {
 public:
  virtual ~Computation() = default;
  // Computes the outputs of a graph with these arguments and numbers.
  virtual std::vector<at::Tensor> run(
      std::vector<at::Tensor> arguments, const std::vector<at::Scalar>& scalars) const = 0;
};
using ComputationPtr = std::shared_ptr<const Computation>;

// What runs graphs.
class TORCH_API BackendInterface {
 public:
  virtual ~BackendInterface() = default;
  virtual const char* name() const = 0;
  virtual ComputationPtr compile(const Graph& graph) const = 0;
};

// Sets the back end of the process, which must live until its end.
TORCH_API void set_backend(const BackendInterface* backend);
TORCH_API bool has_backend();
// Raises if none was set.
TORCH_API const BackendInterface& backend();

} // namespace torch::lazy
