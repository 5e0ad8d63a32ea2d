// A gradient that a node passes on must match the operator output it belongs to.

#include <torch/csrc/autograd/engine.h>

#include <ATen/ops/to.h>

namespace torch::autograd {

namespace {

// "Function MulBackward0 returned an invalid gradient ..." or "invalid gradient ...".
std::string blame(const Node* from, const std::string& message) {
  return from ? c10::str("Function ", from->name(), " returned an ", message) : message;
}

Variable fitted(const InputMetadata& metadata, Variable grad, size_t index, const Node* from) {
  if (!metadata.is_same_shape(grad)) {
    TORCH_CHECK(
        metadata.is_expandable_to_shape(grad),
        blame(from, metadata.incompatible_shape_error_message(index, grad)));
    grad = metadata.reduce_grad(grad);
  }
  if (const auto dtype = metadata.grad_dtype(); dtype && grad.scalar_type() != *dtype) {
    TORCH_CHECK(
        c10::isFloatingType(grad.scalar_type()) || c10::isComplexType(*dtype) == grad.is_complex(),
        blame(
            from,
            c10::str(
                "invalid gradient at index ", index, " - expected dtype ", *dtype, " but got ",
                grad.scalar_type())));
    grad = at::methods::to(grad, *dtype);
  }
  if (grad.device() != metadata.device()) {
    TORCH_CHECK(
        grad.dim() == 0,
        blame(
            from,
            c10::str(
                "invalid gradient at index ", index, " - expected device ", metadata.device(),
                " but got ", grad.device())));
    grad = at::methods::to(grad, metadata.device());
  }
  return grad;
}

} // namespace

void validate_outputs(const edge_list& edges, variable_list& grads, const Node* from) {
  TORCH_CHECK(
      grads.size() == edges.size(),
      blame(
          from,
          c10::str(
              "invalid number of gradients - got ", grads.size(), " but expected ", edges.size())));
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!edges[i].is_valid() || !grads[i].defined()) {
      continue;
    }
    const InputMetadata& metadata = edges[i].function->input_metadata(edges[i].input_nr);
    if (C10_UNLIKELY(!metadata.accepts(grads[i]) && !metadata.was_default_constructed())) {
      grads[i] = fitted(metadata, std::move(grads[i]), i, from);
    }
  }
}

} // namespace torch::autograd
