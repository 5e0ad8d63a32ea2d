#pragma once

#include <ATen/ATen.h>
#include <c10/util/Optional.h>
#include <torch/csrc/autograd/generated/variable_factories.h>
#include <torch/tensor.h>

// The C++ frontend calls tensors torch::Tensor and functions torch::ones(...).
namespace torch {

using namespace at; // NOLINT(google-build-using-namespace): the two namespaces are one interface

using Dtype = at::ScalarType;

constexpr auto kBool = c10::ScalarType::Bool;
constexpr auto kUInt8 = c10::ScalarType::Byte;
constexpr auto kInt8 = c10::ScalarType::Char;
constexpr auto kInt16 = c10::ScalarType::Short;
constexpr auto kInt32 = c10::ScalarType::Int;
constexpr auto kInt64 = c10::ScalarType::Long;
constexpr auto kFloat16 = c10::ScalarType::Half;
constexpr auto kBFloat16 = c10::ScalarType::BFloat16;
constexpr auto kFloat32 = c10::ScalarType::Float;
constexpr auto kFloat64 = c10::ScalarType::Double;
constexpr auto kComplexFloat = c10::ScalarType::ComplexFloat;
constexpr auto kComplexDouble = c10::ScalarType::ComplexDouble;

} // namespace torch
