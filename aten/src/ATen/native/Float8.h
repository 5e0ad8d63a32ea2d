#pragma once

#include <ATen/native/DispatchStub.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

// The 8-bit floats: every operator on them converts blocks of numbers to float and back, so that no
// loop is compiled once per format.

namespace at {
struct TensorIteratorBase;
}

namespace at::native {

enum class FloatClass;

// Converts arrays of a floating-point dtype of one or two bytes from and to float.
struct FloatCodec {
  void (*decode)(const void* numbers, float* values, int64_t n);
  void (*encode)(const float* values, void* numbers, int64_t n);
};

DECLARE_DISPATCH(const FloatCodec* (*)(ScalarType), float_codec_stub);

constexpr int64_t kFloat8Block = 1024;

// The same for at most kFloat8Block 8-bit numbers that have a stride.
void decode_float8(
    const FloatCodec& codec, const char* codes, int64_t stride, float* values, int64_t n);
void encode_float8(
    const FloatCodec& codec, const float* values, char* codes, int64_t stride, int64_t n);

// The kernels of the operators that support the 8-bit floats.
void mul_float8(TensorIteratorBase& iter);
void abs_float8(TensorIteratorBase& iter);
void equality_float8(TensorIteratorBase& iter, bool negate);
void classify_float8(TensorIteratorBase& iter, FloatClass kind);

} // namespace at::native
