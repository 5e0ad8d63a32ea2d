#include <ATen/legacy/ExtensionBackend.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/signature_check.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace at::legacy {

namespace {

constexpr const char* kNamespace = "aten";

bool same_types(const std::vector<c10::Argument>& left, const std::vector<c10::Argument>& right) {
  return std::equal(
      left.begin(), left.end(), right.begin(), right.end(),
      [](const c10::Argument& a, const c10::Argument& b) {
        return a.name == b.name && a.type.str() == b.type.str() && a.kwarg_only == b.kwarg_only;
      });
}

// Default values may differ: the operator's declaration has them, and a kernel has none.
void check_declaration(const c10::FunctionSchema& declared, std::string_view text) {
  const c10::FunctionSchema given = torch::jit::parseSchema(text);
  const bool same_results = std::equal(
      given.returns().begin(), given.returns().end(), declared.returns().begin(),
      declared.returns().end(),
      [](const c10::Argument& a, const c10::Argument& b) { return a.type.str() == b.type.str(); });
  TORCH_CHECK(
      same_types(given.arguments(), declared.arguments()) && same_results,
      "the operator is declared differently:\n  ", c10::toString(declared), "\nnot as\n  ", text);
}

} // namespace

void register_extension_kernel(
    c10::DispatchKey key, const char* schema, c10::KernelFunction kernel,
    const std::string& signature) {
  static std::mutex mutex;
  // Never destroyed, so that the kernels stay registered until the process ends.
  static auto* registrations = new std::vector<c10::RegistrationHandleRAII>;
  const std::string_view text = schema;
  c10::OperatorName name = torch::jit::parseName(text.substr(0, text.find('(')));
  if (!name.getNamespace()) name.name = std::string(kNamespace) + "::" + name.name;
  auto& dispatcher = c10::Dispatcher::singleton();
  const auto& declared =
      dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str()).schema();
  if (text.find('(') != std::string_view::npos) check_declaration(declared, text);
  const std::string origin = "register_extension_backend_op(" + c10::toString(name) + ")";
  c10::check_signature(declared, torch::jit::parseSchema("kernel" + signature), origin);
  const std::lock_guard<std::mutex> lock(mutex);
  registrations->push_back(dispatcher.registerImpl(name, key, std::move(kernel), origin));
}

} // namespace at::legacy
