#include <ATen/Parallel.h>
#include <ATen/native/Pool.h>
#include <ATen/native/cpu/KernelTypes.h>

#include <algorithm>

namespace at::native {

namespace {

template <typename T>
void add_to(T& sum, T value) {
  sum = static_cast<T>(static_cast<opmath_type<T>>(sum) + static_cast<opmath_type<T>>(value));
}

// An invalid index must not write outside the plane.
void check_index(int64_t index, int64_t size) {
  TORCH_CHECK(
      index >= 0 && index < size, "max_pool2d backward: index ", index, " is outside a plane of ",
      size, " elements");
}

template <typename T>
void scatter_planes(const PoolBackward& s, const T* grad, const int64_t* indices, T* grad_in) {
  const int64_t size = std::max<int64_t>(1, s.in_size + s.out_size);
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / size);
  at::parallel_for(0, s.batch * s.channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      T* to = grad_in + plane * s.in_size;
      const T* from = grad + plane * s.out_size;
      const int64_t* index = indices + plane * s.out_size;
      std::fill_n(to, s.in_size, T(0));
      for (int64_t i = 0; i < s.out_size; ++i) {
        check_index(index[i], s.in_size);
        add_to(to[index[i]], from[i]);
      }
    }
  });
}

// Channels last: an image's elements are [pixel][channel].
template <typename T>
void scatter_pixels(const PoolBackward& s, const T* grad, const int64_t* indices, T* grad_in) {
  at::parallel_for(0, s.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t image = begin; image < end; ++image) {
      T* to = grad_in + image * s.in_size * s.channels;
      const T* from = grad + image * s.out_size * s.channels;
      const int64_t* index = indices + image * s.out_size * s.channels;
      std::fill_n(to, s.in_size * s.channels, T(0));
      for (int64_t i = 0; i < s.out_size; ++i, from += s.channels, index += s.channels) {
        for (int64_t c = 0; c < s.channels; ++c) {
          check_index(index[c], s.in_size);
          add_to(to[index[c] * s.channels + c], from[c]);
        }
      }
    }
  });
}

void max_pool2d_backward_kernel(
    ScalarType dtype, const PoolBackward& shape, const void* grad, const int64_t* indices,
    void* grad_in) {
  for_floating(dtype, "max_pool2d_backward", [&]<typename T>(T) {
    const auto* from = static_cast<const T*>(grad);
    auto* to = static_cast<T*>(grad_in);
    if (shape.channels_last) {
      scatter_pixels(shape, from, indices, to);
    } else {
      scatter_planes(shape, from, indices, to);
    }
  });
}

} // namespace

REGISTER_DISPATCH(max_pool2d_backward_stub, &max_pool2d_backward_kernel)

} // namespace at::native
