#include <ATen/Parallel.h>
#include <ATen/native/cpu/ByteMixers.h>

#include <algorithm>
#include <vector>

namespace at::native {
inline namespace CPU_CAPABILITY {
namespace {

// The mixed columns of the last rows that were asked for; row r of all planes is in place r %
// count, so that adjacent rows are adjacent, but for the last place and the first.
class MixedRows {
 public:
  MixedRows(const ByteImages& images, int64_t count)
      : images_(images),
        mixer_(column_mixer(images.columns, images.channels)),
        mix_two_(two_row_mixer(images.columns, images.channels)),
        width_(images.out_w * images.channels),
        held_(static_cast<size_t>(count), -1),
        bytes_(static_cast<size_t>(count * width_)) {}

  // Writes the addresses of the rows from `first`; those from `next` are asked for after them.
  void rows(
      const uint8_t* in, int64_t first, int64_t next, std::vector<const uint8_t*>& addresses) {
    const auto count = static_cast<int64_t>(addresses.size());
    const int64_t step = images_.in_w * images_.channels;
    const uint8_t* from = in + first * step;
    if (images_.columns.taps == 0) {
      for (int64_t i = 0; i < count; ++i, from += step) {
        addresses[i] = from;
      }
      return;
    }
    const uint8_t* end = in + images_.planes * images_.in_h * step;
    const auto places = static_cast<int64_t>(held_.size());
    int64_t place = first % places;
    for (int64_t row = first; row < first + count; ++row, from += step) {
      uint8_t* to = bytes_.data() + place * width_;
      addresses[row - first] = to;
      const int64_t after = place + 1;
      if (held_[place] != row) {
        held_[place] = row;
        const int64_t other = row + 1;
        const bool two = other < first + count || (other >= next && other < next + count);
        if (mix_two_ != nullptr && two && after < places && held_[after] != other) {
          mix_two_(images_.columns, from, step, end, to);
          held_[after] = other;
        } else {
          mixer_(images_.columns, images_.channels, from, to);
        }
      }
      place = after < places ? after : 0;
    }
  }

 private:
  const ByteImages& images_;
  ColumnMixer mixer_;
  TwoRowMixer mix_two_;
  int64_t width_;
  std::vector<int64_t> held_;
  std::vector<uint8_t> bytes_;
};

void mix_bytes(const ByteImages& images, const uint8_t* in, uint8_t* out) {
  const ByteAxis& rows = images.rows;
  const int64_t width = images.out_w * images.channels;
  const int64_t taps = std::max<int64_t>(1, rows.taps);
  const int64_t grain = std::max<int64_t>(1, at::internal::GRAIN_SIZE / (taps * width));
  at::parallel_for(0, images.planes * images.out_h, grain, [&](int64_t begin, int64_t end) {
    MixedRows mixed(images, taps + 1);
    std::vector<const uint8_t*> sources(static_cast<size_t>(taps));
    std::vector<int32_t> sums(static_cast<size_t>(width));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t top = i / images.out_h * images.in_h, h = i % images.out_h;
      uint8_t* to = out + i * width;
      const int64_t next = h + 1 < images.out_h && i + 1 < end ? h + 1 : h;
      if (rows.taps == 0) {
        mixed.rows(in, top + h, top + next, sources);
      } else {
        mixed.rows(in, top + rows.first[h], top + rows.first[next], sources);
      }
      if (rows.taps == 0) {
        std::copy_n(sources[0], width, to);
      } else {
        mix_rows(rows, rows.weight.data() + h * taps, sources, sums, to);
      }
    }
  });
}

} // namespace

REGISTER_DISPATCH(mix_bytes_stub, &mix_bytes)

} // namespace CPU_CAPABILITY
} // namespace at::native
