#include <ATen/native/Float8.h>

#include <ATen/TensorIterator.h>
#include <ATen/native/UnaryOps.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace at::native {

DEFINE_DISPATCH(float_codec_stub);

void decode_float8(
    const FloatCodec& codec, const char* codes, int64_t stride, float* values, int64_t n) {
  const auto* source = reinterpret_cast<const uint8_t*>(codes);
  uint8_t gathered[kFloat8Block];
  if (stride != 1) {
    for (int64_t i = 0; i < n; ++i) {
      gathered[i] = source[i * stride];
    }
    source = gathered;
  }
  codec.decode(source, values, n);
}

void encode_float8(
    const FloatCodec& codec, const float* values, char* codes, int64_t stride, int64_t n) {
  auto* target = reinterpret_cast<uint8_t*>(codes);
  if (stride == 1) {
    codec.encode(values, target, n);
    return;
  }
  uint8_t scattered[kFloat8Block];
  codec.encode(values, scattered, n);
  for (int64_t i = 0; i < n; ++i) {
    target[i * stride] = scattered[i];
  }
}

namespace {

using Block = std::array<float, kFloat8Block>;

// Calls f(out, out_stride, inputs, n) for each block of elements, with the inputs as floats.
template <size_t Inputs, typename F>
void for_each_block(TensorIteratorBase& iter, const FloatCodec& codec, const F& f) {
  iter.for_each_1d([&](char** data, const int64_t* strides, int64_t n) {
    std::array<Block, Inputs> inputs;
    for (int64_t begin = 0; begin < n; begin += kFloat8Block) {
      const int64_t count = std::min(kFloat8Block, n - begin);
      for (size_t i = 0; i < Inputs; ++i) {
        const char* codes = data[i + 1] + begin * strides[i + 1];
        decode_float8(codec, codes, strides[i + 1], inputs[i].data(), count);
      }
      f(data[0] + begin * strides[0], strides[0], inputs, count);
    }
  });
  iter.cast_outputs();
}

} // namespace

void mul_float8(TensorIteratorBase& iter) {
  const FloatCodec& codec = *float_codec_stub.on_host(iter.common_dtype());
  for_each_block<2>(iter, codec, [&](char* out, int64_t stride, auto& inputs, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      inputs[0][i] *= inputs[1][i];
    }
    encode_float8(codec, inputs[0].data(), out, stride, n);
  });
}

void abs_float8(TensorIteratorBase& iter) {
  const FloatCodec& codec = *float_codec_stub.on_host(iter.common_dtype());
  for_each_block<1>(iter, codec, [&](char* out, int64_t stride, auto& inputs, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      inputs[0][i] = std::abs(inputs[0][i]);
    }
    encode_float8(codec, inputs[0].data(), out, stride, n);
  });
}

void equality_float8(TensorIteratorBase& iter, bool negate) {
  const FloatCodec& codec = *float_codec_stub.on_host(iter.common_dtype());
  for_each_block<2>(iter, codec, [&](char* out, int64_t stride, const auto& inputs, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      out[i * stride] = (inputs[0][i] == inputs[1][i]) != negate;
    }
  });
}

void classify_float8(TensorIteratorBase& iter, FloatClass kind) {
  const FloatCodec& codec = *float_codec_stub.on_host(iter.common_dtype());
  for_each_block<1>(iter, codec, [&](char* out, int64_t stride, const auto& inputs, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const float x = inputs[0][i];
      out[i * stride] = kind == FloatClass::NaN ? std::isnan(x)
          : kind == FloatClass::Infinite        ? std::isinf(x)
                                                : std::isfinite(x);
    }
  });
}

} // namespace at::native
