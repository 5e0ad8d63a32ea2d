// Fourier transforms along one axis; see native/FftPlan.h. cuFFT transforms lines with one distance
// between them; other lines are packed first.

#include <ATen/cuda/CUDAFft.h>
#include <ATen/native/FftPlan.h>

#include <ATen/native/cuda/DimOffsets.cuh>
#include <ATen/native/cuda/LaunchUtils.cuh>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/util/SmallVector.h>
#include <c10/util/complex.h>

namespace at::native {
namespace {

// Lines of real or complex numbers.
struct Lines {
  void* data;
  int64_t points, step;
  bool complex;
  c10::SmallVector<int64_t, 6> strides; // those of the other axes
};

template <typename T, typename Number>
void copy_lines(const Lines& from, const Lines& to, c10::IntArrayRef sizes, Number factor) {
  DimOffsets<2> dims;
  dims.add(from.points, {from.step, to.step});
  for (size_t d = sizes.size(); d-- > 0;) {
    dims.add(sizes[d], {from.strides[d], to.strides[d]});
  }
  const auto* source = static_cast<const T*>(from.data);
  auto* target = static_cast<T*>(to.data);
  for_each_index(dims.numel, [=] C10_DEVICE(int64_t i) {
    const auto at = dims(i);
    target[at[1]] = source[at[0]] * factor;
  });
}

// The factor is 1 for lines that are only packed.
template <typename Real>
void copy_scaled(const Lines& from, const Lines& to, c10::IntArrayRef sizes, double factor) {
  if (from.complex) {
    copy_lines<c10::complex<Real>>(from, to, sizes, static_cast<Real>(factor));
  } else {
    copy_lines<Real>(from, to, sizes, static_cast<Real>(factor));
  }
}

// The same lines one after another, in memory of their own.
Lines packed(const Lines& lines, c10::IntArrayRef sizes, size_t itemsize, c10::DataPtr& memory) {
  Lines result = lines;
  result.step = 1;
  int64_t next = lines.points;
  for (size_t d = sizes.size(); d-- > 0;) {
    result.strides[d] = next;
    next *= sizes[d];
  }
  const size_t bytes = static_cast<size_t>(next) * itemsize * (lines.complex ? 2 : 1);
  memory = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
  result.data = memory.get();
  return result;
}

Lines lines_of(
    const void* data, int64_t points, int64_t step, bool complex, c10::IntArrayRef strides) {
  const int64_t unit = complex ? 2 : 1;
  Lines lines{const_cast<void*>(data), points, step / unit, complex, {}};
  for (const int64_t stride : strides) {
    lines.strides.push_back(stride / unit);
  }
  return lines;
}

template <typename Real>
void transform(const FftAxis& axis) {
  const bool to_real = axis.kind == FftKind::ComplexToReal;
  const bool from_real = axis.kind == FftKind::RealToComplex;
  const int64_t half = axis.length / 2 + 1;
  Lines in =
      lines_of(axis.in, to_real ? half : axis.length, axis.in_step, !from_real, axis.in_strides);
  const Lines out =
      lines_of(axis.out, from_real ? half : axis.length, axis.out_step, !to_real, axis.out_strides);
  const bool scattered = axis.sizes.size() > 1;
  c10::DataPtr in_memory, out_memory;
  if (scattered || to_real) {
    const Lines own = packed(in, axis.sizes, sizeof(Real), in_memory);
    copy_scaled<Real>(in, own, axis.sizes, 1);
    in = own;
  }
  const Lines result = scattered ? packed(out, axis.sizes, sizeof(Real), out_memory) : out;
  int64_t batch = 1;
  for (const int64_t size : axis.sizes) {
    batch *= size;
  }
  const auto distance = [](const Lines& lines) {
    return lines.strides.empty() ? lines.points * lines.step : lines.strides.back();
  };
  at::cuda::fft::execute(
      {axis.kind, axis.inverse, axis.is_double, axis.length, batch, in.step, distance(in),
       result.step, distance(result)},
      in.data, result.data);
  if (scattered || axis.scale != 1) {
    copy_scaled<Real>(result, out, axis.sizes, axis.scale);
  }
}

void fft_axes_on_device(c10::ArrayRef<FftAxis> axes, int64_t /*volumes*/) {
  for (const FftAxis& axis : axes) {
    if (axis.is_double) {
      transform<double>(axis);
    } else {
      transform<float>(axis);
    }
  }
}

} // namespace

REGISTER_CUDA_DISPATCH(fft_axes_stub, &fft_axes_on_device)

} // namespace at::native
