// Copies between an 8-bit float and any other dtype. All go through blocks of floats, as the
// formats are defined, so that no pair of dtypes needs a loop of its own.

#include <ATen/native/Float8.h>
#include <ATen/native/cpu/ConvertLoops.h>

#include <algorithm>

namespace at::native {

namespace {

constexpr int64_t kFloatSize = sizeof(float);

// A run of elements with a stride in bytes.
struct Run {
  char* data;
  int64_t stride;

  void advance(int64_t n) { data += n * stride; }
};

// Converts elements of one dtype to floats or back.
class FloatBridge {
 public:
  explicit FloatBridge(ScalarType dtype) : dtype_(dtype), codec_(float_codec_stub.on_host(dtype)) {
    if (dtype != kFloat && !c10::isFloat8Type(dtype)) {
      to_float_ = find_convert_run(kFloat, dtype);
      from_float_ = find_convert_run(dtype, kFloat);
    }
  }

  // Whether the elements of the run are floats that need no conversion and no buffer.
  bool holds_floats(Run run) const { return dtype_ == kFloat && run.stride == kFloatSize; }

  void read(Run from, float* floats, int64_t n) const {
    if (is_packed(from)) {
      codec_->decode(from.data, floats, n);
    } else if (c10::isFloat8Type(dtype_)) {
      decode_float8(*codec_, from.data, from.stride, floats, n);
    } else if (dtype_ == kFloat) {
      for (int64_t i = 0; i < n; ++i) {
        floats[i] = *reinterpret_cast<const float*>(from.data + i * from.stride);
      }
    } else {
      convert(to_float_, {reinterpret_cast<char*>(floats), kFloatSize}, from, n);
    }
  }

  void write(const float* floats, Run to, int64_t n) const {
    if (is_packed(to)) {
      codec_->encode(floats, to.data, n);
    } else if (c10::isFloat8Type(dtype_)) {
      encode_float8(*codec_, floats, to.data, to.stride, n);
    } else if (dtype_ == kFloat) {
      for (int64_t i = 0; i < n; ++i) {
        *reinterpret_cast<float*>(to.data + i * to.stride) = floats[i];
      }
    } else {
      auto* source = const_cast<char*>(reinterpret_cast<const char*>(floats));
      convert(from_float_, to, {source, kFloatSize}, n);
    }
  }

 private:
  bool is_packed(Run run) const {
    return codec_ && run.stride == static_cast<int64_t>(c10::elementSize(dtype_));
  }

  static void convert(ConvertRun run, Run to, Run from, int64_t n) {
    char* data[] = {to.data, from.data};
    const int64_t strides[] = {to.stride, from.stride};
    run(data, strides, n);
  }

  ScalarType dtype_;
  const FloatCodec* codec_;
  ConvertRun to_float_ = nullptr;
  ConvertRun from_float_ = nullptr;
};

void convert_block(
    const FloatBridge& to_bridge, Run to, const FloatBridge& from_bridge, Run from, int64_t n) {
  float buffer[kFloat8Block];
  if (to_bridge.holds_floats(to)) {
    from_bridge.read(from, reinterpret_cast<float*>(to.data), n);
  } else if (from_bridge.holds_floats(from)) {
    to_bridge.write(reinterpret_cast<const float*>(from.data), to, n);
  } else {
    from_bridge.read(from, buffer, n);
    to_bridge.write(buffer, to, n);
  }
}

} // namespace

void convert_float8(TensorIterator& iter) {
  const FloatBridge to_bridge(iter.dtype(0));
  const FloatBridge from_bridge(iter.dtype(1));
  iter.for_each_1d([&](char** data, const int64_t* strides, int64_t n) {
    Run to{data[0], strides[0]};
    Run from{data[1], strides[1]};
    for (int64_t done = 0; done < n; done += kFloat8Block) {
      const int64_t count = std::min(kFloat8Block, n - done);
      convert_block(to_bridge, to, from_bridge, from, count);
      to.advance(count);
      from.advance(count);
    }
  });
}

} // namespace at::native
