#pragma once

#include <c10/core/DimVector.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <iosfwd>

namespace c10 {

enum class MemoryFormat : int8_t {
  Contiguous,
  Preserve,
  ChannelsLast,
  ChannelsLast3d,
  NumOptions,
};

C10_API std::ostream& operator<<(std::ostream& out, MemoryFormat format);

// Row-major and channels-last strides of a dense tensor.
C10_API DimVector contiguous_strides(IntArrayRef sizes);
C10_API DimVector get_channels_last_strides_2d(IntArrayRef sizes);
C10_API DimVector get_channels_last_strides_3d(IntArrayRef sizes);

// Whether the strides order the dimensions as channels last, possibly with gaps.
C10_API bool is_channels_last_strides_2d(IntArrayRef sizes, IntArrayRef strides);
C10_API bool is_channels_last_strides_3d(IntArrayRef sizes, IntArrayRef strides);

} // namespace c10

namespace at {
using c10::get_channels_last_strides_2d;
using c10::get_channels_last_strides_3d;
using c10::MemoryFormat;
} // namespace at
