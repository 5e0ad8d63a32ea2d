#include <ATen/Parallel.h>
#include <ATen/native/WeightedAxis.h>

#include <algorithm>
#include <vector>

namespace at::native {

namespace {

uint8_t stored(int32_t sum, int shift) {
  return static_cast<uint8_t>(std::clamp(sum >> shift, 0, 255));
}

// Zero taps or channels stand for any number of them.
template <int kTaps, int kChannels>
void mix_columns(const ByteAxis& axis, int64_t channels, const uint8_t* row, uint8_t* to) {
  const int64_t step = kChannels == 0 ? channels : kChannels;
  const int64_t taps = kTaps == 0 ? axis.taps : kTaps;
  const int16_t* weight = axis.weight.data();
  for (const int64_t first : axis.first) {
    const uint8_t* from = row + first * step;
    for (int64_t c = 0; c < step; ++c) {
      int32_t sum = 1 << (axis.shift - 1);
      for (int64_t k = 0; k < taps; ++k) {
        sum += weight[k] * from[k * step + c];
      }
      to[c] = stored(sum, axis.shift);
    }
    weight += taps;
    to += step;
  }
}

using ColumnMixer = void (*)(const ByteAxis&, int64_t channels, const uint8_t* row, uint8_t* to);

template <int kTaps>
ColumnMixer mixer_of_channels(int64_t channels) {
  return channels == 1 ? &mix_columns<kTaps, 1>
      : channels == 3  ? &mix_columns<kTaps, 3>
      : channels == 4  ? &mix_columns<kTaps, 4>
                       : &mix_columns<kTaps, 0>;
}

ColumnMixer column_mixer(int64_t taps, int64_t channels) {
  return taps == 2 ? mixer_of_channels<2>(channels)
      : taps == 4  ? mixer_of_channels<4>(channels)
                   : mixer_of_channels<0>(channels);
}

void mix_rows(
    const ByteAxis& axis, const int16_t* weight, const std::vector<const uint8_t*>& rows,
    std::vector<int32_t>& sums, uint8_t* to) {
  std::fill(sums.begin(), sums.end(), 1 << (axis.shift - 1));
  const size_t width = sums.size();
  for (size_t k = 0; k < rows.size(); ++k) {
    const int32_t by = weight[k];
    const uint8_t* row = rows[k];
    for (size_t w = 0; w < width; ++w) {
      sums[w] += by * row[w];
    }
  }
  for (size_t w = 0; w < width; ++w) {
    to[w] = stored(sums[w], axis.shift);
  }
}

// The mixed columns of the last rows of a plane that were asked for; row r is in place r % count.
class MixedRows {
 public:
  MixedRows(const ByteImages& images, int64_t count)
      : images_(images),
        mixer_(column_mixer(images.columns.taps, images.channels)),
        width_(images.out_w * images.channels),
        held_(static_cast<size_t>(count), -1),
        bytes_(static_cast<size_t>(count * width_)) {}

  // `at` counts the rows of all planes.
  const uint8_t* row(const uint8_t* in, int64_t at) {
    const uint8_t* from = in + at * images_.in_w * images_.channels;
    if (images_.columns.taps == 0) {
      return from;
    }
    const size_t place = static_cast<size_t>(at) % held_.size();
    uint8_t* to = bytes_.data() + static_cast<int64_t>(place) * width_;
    if (held_[place] != at) {
      mixer_(images_.columns, images_.channels, from, to);
      held_[place] = at;
    }
    return to;
  }

 private:
  const ByteImages& images_;
  ColumnMixer mixer_;
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
    MixedRows mixed(images, taps);
    std::vector<const uint8_t*> sources(static_cast<size_t>(taps));
    std::vector<int32_t> sums(static_cast<size_t>(width));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t top = i / images.out_h * images.in_h, h = i % images.out_h;
      uint8_t* to = out + i * width;
      if (rows.taps == 0) {
        std::copy_n(mixed.row(in, top + h), width, to);
        continue;
      }
      for (int64_t k = 0; k < taps; ++k) {
        sources[k] = mixed.row(in, top + rows.first[h] + k);
      }
      mix_rows(rows, rows.weight.data() + h * taps, sources, sums, to);
    }
  });
}

} // namespace

REGISTER_DISPATCH(mix_bytes_stub, &mix_bytes)

} // namespace at::native
