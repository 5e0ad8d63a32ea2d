#include <ATen/Parallel.h>
#include <ATen/native/ConvPlan.h>
#include <ATen/native/ConvRows.h>
#include <ATen/native/cpu/ConvKernels.h>
#include <ATen/native/cpu/PackedGemm.h>

namespace at::native {
namespace {

void run(c10::ScalarType dtype, const Gemm& job, double alpha, double beta) {
  if (dtype == c10::ScalarType::Float) {
    PackedGemm<float>::run(job, static_cast<float>(alpha), static_cast<float>(beta));
  } else {
    PackedGemm<double>::run(job, alpha, beta);
  }
}

// A convolution as a sum of matrix products, one for each line of its kernel: a line of adjacent
// taps meets adjacent elements of the input, so rows of positions are rows of a matrix that
// overlap. Only rows that reach beyond the image are copied.
template <class T>
struct PackedConv {
  using Product = PackedGemm<T>;
  static constexpr int64_t kPanel = Product::kPanel;

  const ConvShape& s;
  const T* input;
  const T* weight;
  const T* bias;
  T* output;

  int64_t line_length() const { return s.kernel[2] * s.in_channels; }
  int64_t columns() const { return at::divup(s.out_channels, kPanel) * kPanel; }

  // The weights of all lines: [line][block of depth][panel][depth][kPanel].
  c10::DataPtr packed_weight(int64_t depth) const {
    const int64_t lines = s.kernel[1] * line_length();
    c10::DataPtr packed = c10::GetCPUAllocator()->allocate(lines * columns() * sizeof(T));
    const Gemm g{0, s.out_channels, lines, nullptr, 0, 1, weight, s.out_channels, 1, nullptr, 0, 1};
    const int64_t blocks = at::divup(line_length(), depth);
    at::parallel_for(0, s.kernel[1] * blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t in_line = i % blocks * depth;
        const int64_t k = i / blocks * line_length() + in_line;
        Product::pack(
            g, weight + k * s.out_channels, std::min(depth, line_length() - in_line),
            s.out_channels, static_cast<T*>(packed.get()) + k * columns());
      }
    });
    return packed;
  }

  int64_t row_step() const { return s.stride[2] * s.in_channels; }

  // Elements [first, first + count) of a line of the image, with zeros outside of it.
  void copy_padded(const T* line, int64_t first, int64_t count, T* to) const {
    const int64_t begin = std::clamp<int64_t>(-first, 0, count);
    const int64_t end = std::clamp<int64_t>(s.in[2] * s.in_channels - first, begin, count);
    std::fill_n(to, begin, T(0));
    std::copy_n(line + first + begin, end - begin, to + begin);
    std::fill_n(to + end, count - end, T(0));
  }

  // Adds the product of a line of the image and columns [k, k + length) of a line of the kernel to
  // one row of positions.
  void add_line(
      const T* line, int64_t k, int64_t length, const T* by, T* room, T* out, T beta) const {
    for (int64_t x = 0; x < s.out[2]; x += kPanelRows, out += kPanelRows * s.out_channels) {
      const int64_t rows = std::min<int64_t>(kPanelRows, s.out[2] - x);
      const int64_t read_rows = at::divup(rows, kRowStep) * kRowStep;
      const int64_t first = x * row_step() - s.pad[2] * s.in_channels + k;
      const int64_t count = (read_rows - 1) * row_step() + length;
      const T* from = line + first;
      if (first < 0 || first + count > s.in[2] * s.in_channels) {
        copy_padded(line, first, count, room);
        from = room;
      }
      Product::template multiply_sliver<SliverOrder::kInPlace>(
          {from, row_step()}, {by, kPanel, length * kPanel}, length, out, s.out_channels, rows,
          s.out_channels, T(1), beta);
    }
  }

  // One row of positions.
  void row(int64_t image, int64_t y, int64_t depth, const T* packed, T* room) const {
    const int64_t width = s.out[2] * s.out_channels;
    T* const out = output + (image * s.out[1] + y) * width;
    for (int64_t i = 0; bias != nullptr && i < width; i += s.out_channels) {
      std::copy_n(bias, s.out_channels, out + i);
    }
    bool empty = bias == nullptr;
    for (int64_t line = 0; line < s.kernel[1]; ++line) {
      const int64_t h = y * s.stride[1] - s.pad[1] + line * s.dilation[1];
      if (h < 0 || h >= s.in[1]) {
        continue;
      }
      const T* const from = input + (image * s.in[1] + h) * s.in[2] * s.in_channels;
      for (int64_t k = 0; k < line_length(); k += depth) {
        const int64_t length = std::min(depth, line_length() - k);
        const T* const by = packed + (line * line_length() + k) * columns();
        add_line(from, k, length, by, room, out, empty ? T(0) : T(1));
        empty = false;
      }
    }
    if (empty) {
      std::fill_n(out, width, T(0));
    }
  }

  void run() const {
    const int64_t depth = block_size(line_length(), kDepth, 1);
    const c10::DataPtr packed = packed_weight(depth);
    const int64_t work = s.out[2] * s.kernel[1] * line_length() * s.out_channels;
    const int64_t grain = std::max<int64_t>(1, (1 << 18) / work);
    at::parallel_for(0, s.batch * s.out[1], grain, [&](int64_t begin, int64_t end) {
      const c10::DataPtr room =
          c10::GetCPUAllocator()->allocate(((kPanelRows - 1) * row_step() + depth) * sizeof(T));
      for (int64_t i = begin; i < end; ++i) {
        row(i / s.out[1], i % s.out[1], depth, static_cast<const T*>(packed.get()),
            static_cast<T*>(room.get()));
      }
    });
  }
};

void packed_conv(
    c10::ScalarType dtype, const ConvShape& s, const void* input, const void* weight,
    const void* bias, void* output) {
  if (is_tiled(dtype, s)) {
    return convolve_rows_by_tile(
        s, static_cast<const float*>(input), static_cast<const float*>(weight),
        static_cast<const float*>(bias), static_cast<float*>(output));
  }
  const auto run = [&]<class T>(T) {
    PackedConv<T>{
        s, static_cast<const T*>(input), static_cast<const T*>(weight), static_cast<const T*>(bias),
        static_cast<T*>(output)}
        .run();
  };
  dtype == c10::ScalarType::Float ? run(float()) : run(double());
}

#if defined(CPU_CAPABILITY_AVX512)

// Measured against OpenBLAS: packing is faster from these sizes on. A transposed a is packed anew
// for each block of columns, which takes many columns to pay.
bool packed_gemm(c10::ScalarType dtype, const Gemm& job, double alpha, double beta) {
  const int64_t least = job.b_col == 1 ? 1'000'001 : 24 * 24 * 24;
  const bool pays = job.m * job.n * job.k >= least && std::min(job.m, job.n) >= 8 &&
      (job.a_col == 1 || (job.a_row == 1 && job.n >= 64));
  if (pays) {
    run(dtype, job, alpha, beta);
  }
  return pays;
}

#else

bool packed_gemm(c10::ScalarType, const Gemm&, double, double) {
  return false;
}

#endif

} // namespace

REGISTER_DISPATCH(packed_gemm_stub, &packed_gemm)
REGISTER_DISPATCH(built_in_gemm_stub, &run)
REGISTER_DISPATCH(conv_rows_stub, &packed_conv)

} // namespace at::native
