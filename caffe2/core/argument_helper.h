#pragma once

#include <caffe2/proto/caffe2.pb.h>

#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/macros/Export.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace caffe2 {

// The argument of that name, or nullptr.
C10_EXPORT const Argument* FindArgument(const OperatorDef& definition, const std::string& name);

// Reads the value of an argument. A number that a type cannot hold, or a value of another kind, is
// an error that names the argument. One value is a list of one.
C10_EXPORT void ReadArgument(const Argument& argument, bool& value);
C10_EXPORT void ReadArgument(const Argument& argument, int64_t& value);
C10_EXPORT void ReadArgument(const Argument& argument, double& value);
C10_EXPORT void ReadArgument(const Argument& argument, std::string& value);
C10_EXPORT void ReadArgument(const Argument& argument, at::Scalar& value);
// A number of ATen's, or its name: "Float", "Long".
C10_EXPORT void ReadArgument(const Argument& argument, at::ScalarType& value);
C10_EXPORT void ReadArgument(const Argument& argument, std::vector<int64_t>& value);
C10_EXPORT void ReadArgument(const Argument& argument, std::vector<double>& value);
C10_EXPORT void ReadArgument(const Argument& argument, std::vector<at::Scalar>& value);
C10_EXPORT void ReadFlags(const Argument& argument, bool* flags, size_t count);

template <size_t N>
void ReadArgument(const Argument& argument, std::array<bool, N>& value) {
  ReadFlags(argument, value.data(), N);
}
template <typename T>
void ReadArgument(const Argument& argument, std::optional<T>& value) {
  ReadArgument(argument, value.emplace());
}

[[noreturn]] C10_EXPORT void ThrowMissingArgument(
    const OperatorDef& definition, const std::string& name);

template <typename T>
T GetArgument(const OperatorDef& definition, const std::string& name) {
  const Argument* argument = FindArgument(definition, name);
  if (!argument) ThrowMissingArgument(definition, name);
  T value{};
  ReadArgument(*argument, value);
  return value;
}

// The value of the argument, or `otherwise` if it was not given.
template <typename T>
T GetArgument(const OperatorDef& definition, const std::string& name, T otherwise) {
  const Argument* argument = FindArgument(definition, name);
  if (argument) ReadArgument(*argument, otherwise);
  return otherwise;
}

} // namespace caffe2
