// Convolutions by cuDNN, and without it as matrix products. im2col writes, for each output position, the inputs that a
// kernel meets there into a column:
//   columns[n][channel][tap][position]
// so that output = weight x columns, for each image and group. A kernel of one element without
// stride and padding needs no columns: they would be the input.

#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDABlas.h>
#include <ATen/cuda/CUDADnn.h>
#include <ATen/native/ConvShape.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDALaunch.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Exception.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <cstdint>

namespace at::native {
namespace {

// ConvShape for kernels, of one group or of all of them.
struct Window {
  int64_t in[3], kernel[3], out[3], stride[3], pad[3], dilation[3];
  int64_t channels; // of the input
  int64_t in_volume, out_volume, taps;
};

Window window_of(const ConvShape& s) {
  Window w = {};
  for (size_t d = 0; d < 3; ++d) {
    w.in[d] = s.in[d];
    w.kernel[d] = s.kernel[d];
    w.out[d] = s.out[d];
    w.stride[d] = s.stride[d];
    w.pad[d] = s.pad[d];
    w.dilation[d] = s.dilation[d];
  }
  w.channels = s.in_channels;
  w.in_volume = volume(s.in);
  w.out_volume = volume(s.out);
  w.taps = volume(s.kernel);
  return w;
}

// The coordinates of position `index` in a volume.
struct Place {
  int64_t x[3];
};
__device__ Place place_of(int64_t index, const int64_t* size) {
  return {{index / (size[1] * size[2]), index / size[2] % size[1], index % size[2]}};
}

// A thread handles one channel of one image at one output position, for all taps: neighbouring
// threads write neighbouring elements.
template <typename T>
__global__ void im2col(Window w, int64_t count, const T* input, T* columns) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const int64_t position = i % w.out_volume, plane = i / w.out_volume;
    const Place out = place_of(position, w.out);
    const T* source = input + plane * w.in_volume;
    T* target = columns + plane * w.taps * w.out_volume + position;
    for (int64_t tap = 0; tap < w.taps; ++tap) {
      const Place k = place_of(tap, w.kernel);
      int64_t offset = 0;
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        const int64_t x = out.x[d] * w.stride[d] - w.pad[d] + k.x[d] * w.dilation[d];
        inside = inside && x >= 0 && x < w.in[d];
        offset = offset * w.in[d] + x;
      }
      target[tap * w.out_volume] = inside ? source[offset] : T(0);
    }
  }
}

// The adjoint: a thread adds up the columns' elements that came from one element of the input, so
// that no two threads write the same place and results do not depend on their order.
template <typename T>
__global__ void col2im(Window w, int64_t count, const T* columns, const T* bias, T* input) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const int64_t plane = i / w.in_volume;
    const Place in = place_of(i % w.in_volume, w.in);
    const T* source = columns + plane * w.taps * w.out_volume;
    at::opmath_type<T> sum(0);
    for (int64_t tap = 0; tap < w.taps; ++tap) {
      const Place k = place_of(tap, w.kernel);
      int64_t offset = 0;
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        const int64_t x = in.x[d] + w.pad[d] - k.x[d] * w.dilation[d];
        inside = inside && x >= 0 && x % w.stride[d] == 0 && x / w.stride[d] < w.out[d];
        offset = offset * w.out[d] + x / w.stride[d];
      }
      if (inside) sum += static_cast<at::opmath_type<T>>(source[tap * w.out_volume + offset]);
    }
    if (bias != nullptr) sum += static_cast<at::opmath_type<T>>(bias[plane % w.channels]);
    input[i] = static_cast<T>(sum);
  }
}

// Fills planes of `volume` elements with their channel's bias.
template <typename T>
__global__ void fill_with_bias(
    int64_t count, int64_t volume, int64_t channels, const T* bias, T* output) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    output[i] = bias[i / volume % channels];
  }
}

template <typename... Parameters, typename... Arguments>
void launch_over(int64_t count, void (*kernel)(Parameters...), Arguments... arguments) {
  constexpr int64_t kBlock = 256, kMostBlocks = 65536;
  const int64_t blocks = std::min((count + kBlock - 1) / kBlock, kMostBlocks);
  C10_CUDA_CHECK(at::cuda::launch(
      kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(std::min(kBlock, count)), 0,
      c10::cuda::getCurrentCUDAStream(), arguments...));
}

bool is_plain(const ConvShape& s) {
  constexpr ConvShape::Extent kOnes = {1, 1, 1}, kZeros = {0, 0, 0};
  return s.kernel == kOnes && s.stride == kOnes && s.pad == kZeros;
}

// One convolution over arrays of T, image by image or several images at once.
template <typename T>
class Convolution {
 public:
  Convolution(c10::ScalarType dtype, const ConvShape& shape)
      : dtype_(dtype),
        shape_(shape),
        window_(window_of(shape)),
        plain_(is_plain(shape)),
        ins_(shape.in_channels / shape.groups * window_.taps),
        outs_(shape.out_channels / shape.groups),
        column_size_(shape.in_channels * window_.taps * window_.out_volume) {
    constexpr int64_t kBuffer = int64_t{128} << 20;
    const int64_t fitting = kBuffer / std::max<int64_t>(1, column_size_ * int64_t{sizeof(T)});
    chunk_ = plain_ ? shape.batch : std::clamp<int64_t>(fitting, 1, shape.batch);
    if (!plain_) {
      buffer_ = c10::cuda::CUDACachingAllocator::get()->allocate(
          static_cast<size_t>(chunk_ * column_size_) * sizeof(T));
    }
  }

  void forward(const T* input, const T* weight, const T* bias, T* output) {
    const int64_t image = shape_.out_channels * window_.out_volume;
    start_from(bias, shape_.out_channels, window_.out_volume, output);
    for_chunks([&](int64_t first, int64_t count) {
      const T* columns = columns_of(input, first, count);
      // [outs, positions] = [outs, ins] x [ins, positions]
      multiply(
          count,
          {outs_, window_.out_volume, ins_, weight, ins_, 1, columns, window_.out_volume, 1,
           output + first * image, window_.out_volume, 1},
          {0, outs_ * ins_}, {column_size_, ins_ * window_.out_volume},
          {image, outs_ * window_.out_volume}, bias != nullptr);
    });
  }

  void adjoint(const T* output, const T* weight, const T* bias, T* input) {
    const int64_t image = shape_.out_channels * window_.out_volume;
    const int64_t in_image = shape_.in_channels * window_.in_volume;
    if (plain_) start_from(bias, shape_.in_channels, window_.in_volume, input);
    for_chunks([&](int64_t first, int64_t count) {
      T* columns = plain_ ? input + first * in_image : static_cast<T*>(buffer_.get());
      // [ins, positions] = [outs, ins]^T x [outs, positions]
      multiply(
          count,
          {ins_, window_.out_volume, outs_, weight, 1, ins_, output + first * image,
           window_.out_volume, 1, columns, window_.out_volume, 1},
          {0, outs_ * ins_}, {image, outs_ * window_.out_volume},
          {column_size_, ins_ * window_.out_volume}, plain_ && bias != nullptr);
      if (!plain_) {
        launch_over(
            count * in_image, col2im<T>, window_, count * in_image, columns, bias,
            input + first * in_image);
      }
    });
  }

  void weight(const T* input, const T* output, T* weight) {
    const int64_t image = shape_.out_channels * window_.out_volume;
    for_chunks([&](int64_t first, int64_t count) {
      const T* columns = columns_of(input, first, count);
      for (int64_t n = 0; n < count; ++n) {
        // [outs, ins] += [outs, positions] x [ins, positions]^T
        multiply(
            1,
            {outs_, ins_, window_.out_volume, output + (first + n) * image, window_.out_volume, 1,
             columns + n * column_size_, 1, window_.out_volume, weight, ins_, 1},
            {0, outs_ * window_.out_volume}, {0, ins_ * window_.out_volume}, {0, outs_ * ins_},
            first + n > 0);
      }
    });
  }

 private:
  struct Step {
    int64_t image, group;
  };

  template <typename Body>
  void for_chunks(const Body& body) {
    for (int64_t first = 0; first < shape_.batch; first += chunk_) {
      body(first, std::min(chunk_, shape_.batch - first));
    }
  }

  void start_from(const T* bias, int64_t channels, int64_t volume, T* output) {
    if (bias == nullptr) return;
    const int64_t count = shape_.batch * channels * volume;
    launch_over(count, fill_with_bias<T>, count, volume, channels, bias, output);
  }

  const T* columns_of(const T* input, int64_t first, int64_t images) {
    const T* source = input + first * shape_.in_channels * window_.in_volume;
    if (plain_) return source;
    T* columns = static_cast<T*>(buffer_.get());
    const int64_t count = images * shape_.in_channels * window_.out_volume;
    launch_over(count, im2col<T>, window_, count, source, columns);
    return columns;
  }

  // One product per image and group; the longer of the two is the batch of a call.
  void multiply(int64_t images, const Gemm& first, Step a, Step b, Step c, bool accumulate) {
    const bool by_image = images >= shape_.groups;
    const int64_t calls = by_image ? shape_.groups : images;
    const auto outer = [&](Step s) { return by_image ? s.group : s.image; };
    const auto inner = [&](Step s) { return by_image ? s.image : s.group; };
    for (int64_t i = 0; i < calls; ++i) {
      Gemm g = first;
      g.a = static_cast<const T*>(first.a) + i * outer(a);
      g.b = static_cast<const T*>(first.b) + i * outer(b);
      g.c = static_cast<T*>(first.c) + i * outer(c);
      at::cuda::blas::gemm_batch(
          dtype_, g, by_image ? images : shape_.groups, inner(a), inner(b), inner(c), 1,
          accumulate ? 1 : 0);
    }
  }

  const c10::ScalarType dtype_;
  const ConvShape& shape_;
  const Window window_;
  const bool plain_;
  const int64_t ins_;         // elements of a column, for one group
  const int64_t outs_;        // output channels of one group
  const int64_t column_size_; // of all groups of an image
  int64_t chunk_ = 1;         // images whose columns fit into the buffer
  c10::DataPtr buffer_;
};

c10::ScalarType dtype_on_cuda(c10::ScalarType dtype) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      c10::isFloatingType(dtype), "\"slow_conv2d_cuda\" not implemented for '",
      c10::toString(dtype), "'");
  return dtype;
}

template <typename Run>
void for_dtype(c10::ScalarType dtype, const ConvShape& shape, const Run& run) {
  switch (dtype) {
    case c10::ScalarType::Float:
      return run(Convolution<float>(dtype, shape), float());
    case c10::ScalarType::Double:
      return run(Convolution<double>(dtype, shape), double());
    case c10::ScalarType::Half:
      return run(Convolution<c10::Half>(dtype, shape), c10::Half());
    default:
      return run(Convolution<c10::BFloat16>(dtype, shape), c10::BFloat16());
  }
}

void conv_cuda(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* weight,
    const void* bias, void* output) {
  if (at::cuda::dnn::conv(dtype, shape, input, weight, bias, output)) return;
  for_dtype(dtype, shape, [&]<typename T>(Convolution<T>&& convolution, T) {
    convolution.forward(
        static_cast<const T*>(input), static_cast<const T*>(weight), static_cast<const T*>(bias),
        static_cast<T*>(output));
  });
}

void conv_adjoint_cuda(
    c10::ScalarType dtype, const ConvShape& shape, const void* output, const void* weight,
    const void* bias, void* input) {
  if (at::cuda::dnn::conv_adjoint(dtype, shape, output, weight, bias, input)) return;
  for_dtype(dtype, shape, [&]<typename T>(Convolution<T>&& convolution, T) {
    convolution.adjoint(
        static_cast<const T*>(output), static_cast<const T*>(weight), static_cast<const T*>(bias),
        static_cast<T*>(input));
  });
}

void conv_weight_cuda(
    c10::ScalarType dtype, const ConvShape& shape, const void* input, const void* output,
    void* weight) {
  if (at::cuda::dnn::conv_weight(dtype, shape, input, output, weight)) return;
  for_dtype(dtype, shape, [&]<typename T>(Convolution<T>&& convolution, T) {
    convolution.weight(
        static_cast<const T*>(input), static_cast<const T*>(output), static_cast<T*>(weight));
  });
}

} // namespace

REGISTER_CUDA_DISPATCH(conv_dtype_stub, &dtype_on_cuda)
REGISTER_CUDA_DISPATCH(conv_stub, &conv_cuda)
REGISTER_CUDA_DISPATCH(conv_adjoint_stub, &conv_adjoint_cuda)
REGISTER_CUDA_DISPATCH(conv_weight_stub, &conv_weight_cuda)

} // namespace at::native
