#include <ATen/native/Conv2d.h>

#include <ATen/Parallel.h>
#include <ATen/native/Blas.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace at::native {
namespace {

struct Range {
  int64_t begin, end;
};

// The outputs whose tap at `shift` (x = o * stride + shift) is inside the input.
Range inside(const ConvAxis& a, int64_t shift) {
  const int64_t begin = shift < 0 ? (-shift + a.stride - 1) / a.stride : 0;
  const int64_t left = a.in - shift;
  const int64_t end = left > 0 ? (left + a.stride - 1) / a.stride : 0;
  return {std::min(begin, a.out), std::clamp<int64_t>(end, std::min(begin, a.out), a.out)};
}

// One tap of output rows [row_begin, row_end): the inputs it multiplies, zero outside.
template <class T>
void gather_tap(const Conv2dJob& job, const T* plane, int64_t ky, int64_t kx, int64_t row_begin,
                int64_t row_end, T* out) {
  const ConvAxis& h = job.h;
  const ConvAxis& w = job.w;
  const int64_t shift = kx * w.dilation - w.pad;
  const Range cols = inside(w, shift);
  for (int64_t oh = row_begin; oh < row_end; ++oh, out += w.out) {
    const int64_t y = oh * h.stride + ky * h.dilation - h.pad;
    if (y < 0 || y >= h.in) {
      std::fill_n(out, w.out, T{});
      continue;
    }
    const T* row = plane + y * w.in + shift;
    std::fill_n(out, cols.begin, T{});
    if (w.stride == 1) {
      std::copy_n(row + cols.begin, cols.end - cols.begin, out + cols.begin);
    } else {
      for (int64_t o = cols.begin; o < cols.end; ++o) {
        out[o] = row[o * w.stride];
      }
    }
    std::fill_n(out + cols.end, w.out - cols.end, T{});
  }
}

// [in_channels * kh * kw, rows * ow]: column p holds the window of output pixel p.
template <class T>
void gather_windows(const Conv2dJob& job, const void* image, int64_t row_begin, int64_t row_end,
                    void* columns) {
  const T* plane = static_cast<const T*>(image);
  T* out = static_cast<T*>(columns);
  const int64_t pixels = (row_end - row_begin) * job.w.out;
  for (int64_t c = 0; c < job.in_channels; ++c, plane += job.h.in * job.w.in) {
    for (int64_t ky = 0; ky < job.h.kernel; ++ky) {
      for (int64_t kx = 0; kx < job.w.kernel; ++kx, out += pixels) {
        gather_tap(job, plane, ky, kx, row_begin, row_end, out);
      }
    }
  }
}

struct Bytes16 {
  uint64_t low, high;
};

using GatherFn = void (*)(const Conv2dJob&, const void*, int64_t, int64_t, void*);

GatherFn gather_of(int64_t element_size) {
  switch (element_size) {
    case 1:
      return &gather_windows<uint8_t>;
    case 2:
      return &gather_windows<uint16_t>;
    case 4:
      return &gather_windows<uint32_t>;
    case 8:
      return &gather_windows<uint64_t>;
    default:
      return &gather_windows<Bytes16>;
  }
}

bool is_pointwise(const Conv2dJob& job) {
  const auto plain = [](const ConvAxis& a) { return a.kernel == 1 && a.stride == 1 && a.pad == 0; };
  return plain(job.h) && plain(job.w);
}

class Conv2d {
 public:
  Conv2d(const Conv2dJob& job, const TensorBase& input, const TensorBase& weight,
         const TensorBase& bias, const TensorBase& output)
      : job_(job),
        dtype_(input.scalar_type()),
        size_(static_cast<int64_t>(input.element_size())),
        input_(static_cast<const char*>(input.const_data_ptr())),
        weight_(static_cast<const char*>(weight.const_data_ptr())),
        bias_(bias.defined() ? static_cast<const char*>(bias.const_data_ptr()) : nullptr),
        output_(static_cast<char*>(output.mutable_data_ptr())) {}

  void run() const {
    const int64_t tile = rows_per_tile();
    const int64_t tiles = (job_.h.out + tile - 1) / tile;
    const int64_t images = job_.batch * job_.groups;
    at::parallel_for(0, images * tiles, 1, [&](int64_t begin, int64_t end) {
      const auto bytes = static_cast<size_t>(is_pointwise(job_) ? 0 : depth() * tile * job_.w.out * size_);
      const auto columns = std::make_unique_for_overwrite<char[]>(bytes);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row = i % tiles * tile;
        tile_of_image(i / tiles, row, std::min(row + tile, job_.h.out), columns.get());
      }
    });
  }

 private:
  int64_t depth() const { return job_.in_channels * job_.h.kernel * job_.w.kernel; }

  // The windows of a tile stay in the second-level cache; every thread gets a tile.
  int64_t rows_per_tile() const {
    constexpr int64_t kCacheBytes = 512 * 1024;
    const int64_t row_bytes = std::max<int64_t>(1, depth() * job_.w.out * size_);
    const int64_t images = std::max<int64_t>(1, job_.batch * job_.groups);
    const int64_t wanted = (at::get_num_threads() + images - 1) / images;
    const int64_t rows = std::min(kCacheBytes / row_bytes, (job_.h.out + wanted - 1) / wanted);
    return std::max<int64_t>(1, rows);
  }

  void spread_bias(int64_t channel, int64_t row, int64_t pixels) const {
    const int64_t area = job_.h.out * job_.w.out;
    for (int64_t c = channel; c < channel + job_.out_channels; ++c) {
      char* out = output_ + (c * area + row * job_.w.out) * size_;
      const int64_t in_bias = c % (job_.groups * job_.out_channels);
      for (int64_t p = 0; p < pixels; ++p) {
        std::memcpy(out + p * size_, bias_ + in_bias * size_, static_cast<size_t>(size_));
      }
    }
  }

  // `image` counts (batch, group) pairs.
  void tile_of_image(int64_t image, int64_t row, int64_t row_end, char* columns) const {
    const int64_t in_area = job_.h.in * job_.w.in, out_area = job_.h.out * job_.w.out;
    const int64_t pixels = (row_end - row) * job_.w.out;
    const char* source = input_ + image * job_.in_channels * in_area * size_;
    const int64_t group = image % job_.groups;
    Gemm g{};
    g.m = job_.out_channels;
    g.n = pixels;
    g.k = depth();
    g.a = weight_ + group * job_.out_channels * depth() * size_;
    g.a_row = depth();
    g.a_col = 1;
    if (is_pointwise(job_)) {
      g.b = source + row * job_.w.in * size_;
      g.b_row = in_area;
    } else {
      gather_of(size_)(job_, source, row, row_end, columns);
      g.b = columns;
      g.b_row = pixels;
    }
    g.b_col = 1;
    g.c = output_ + (image * job_.out_channels * out_area + row * job_.w.out) * size_;
    g.c_row = out_area;
    g.c_col = 1;
    if (bias_ != nullptr) {
      spread_bias(image * job_.out_channels, row, pixels);
    }
    gemm(dtype_, g, 1, bias_ != nullptr ? 1 : 0);
  }

  const Conv2dJob& job_;
  c10::ScalarType dtype_;
  int64_t size_;
  const char* input_;
  const char* weight_;
  const char* bias_;
  char* output_;
};

} // namespace

void conv2d_forward(const Conv2dJob& job, const TensorBase& input, const TensorBase& weight,
                    const TensorBase& bias, const TensorBase& output) {
  Conv2d(job, input, weight, bias, output).run();
}

} // namespace at::native
