#include <torch/csrc/jit/frontend/tracer.h>

#include <optional>
#include <sstream>
#include <unordered_map>

namespace torch::jit::tracer {

namespace {

thread_local std::optional<Trace> current;

// Writes the values of a trace as text.
class Printer {
 public:
  std::string print(const TracedCall& call) {
    std::ostringstream line;
    const c10::OperatorInfo& info = call.op->info();
    const std::string arguments = list(call.inputs);
    if (!call.outputs.empty()) {
      line << list(call.outputs) << " = ";
    }
    line << info.name << (*info.overload_name ? "." : "") << info.overload_name << "(" << arguments
         << ")";
    return line.str();
  }

 private:
  template <typename Values>
  std::string list(const Values& values) {
    std::string text;
    for (const auto& value : values) {
      text += (text.empty() ? "" : ", ") + one(c10::IValue(value));
    }
    return text;
  }

  std::string one(const c10::IValue& value) {
    std::ostringstream text;
    if (value.isTensor()) {
      text << "%" << number(value.toTensor());
    } else if (value.isBool()) {
      text << (value.toBool() ? "True" : "False");
    } else if (value.isInt()) {
      text << value.toInt();
    } else if (value.isDouble()) {
      text << value.toDouble();
    } else if (value.isString()) {
      text << '"' << value.toStringRef() << '"';
    } else if (value.isDevice()) {
      text << value.toDevice().str();
    } else if (value.isNone()) {
      text << "None";
    } else if (value.isTensorList()) {
      text << "[" << list(value.toTensorList()) << "]";
    } else if (value.isIntList()) {
      text << "[" << list(value.toIntList()) << "]";
    } else {
      text << "...";
    }
    return text.str();
  }

  size_t number(const at::Tensor& tensor) {
    return numbers_.try_emplace(tensor.unsafeGetTensorImpl(), numbers_.size()).first->second;
  }

  std::unordered_map<const c10::TensorImpl*, size_t> numbers_;
};

} // namespace

std::string Trace::str() const {
  Printer printer;
  std::string text;
  for (const TracedCall& call : calls_) {
    text += printer.print(call) + "\n";
  }
  return text;
}

bool isTracing() {
  return current.has_value();
}

void startTracing() {
  TORCH_CHECK(!current, "this thread is already being traced");
  current.emplace();
  c10::impl::tls_set_dispatch_key_included(c10::DispatchKey::Tracer, true);
}

Trace stopTracing() {
  TORCH_CHECK(current, "this thread is not being traced");
  c10::impl::tls_set_dispatch_key_included(c10::DispatchKey::Tracer, false);
  Trace trace = std::move(*current);
  current.reset();
  return trace;
}

void CallRecord::finish() {
  if (current) {
    current->add(std::move(call_));
  }
}

} // namespace torch::jit::tracer
