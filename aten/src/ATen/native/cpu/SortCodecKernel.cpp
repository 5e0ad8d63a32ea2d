#include <ATen/native/SortKeys.h>
#include <ATen/native/SortRows.h>

#include <cstring>
#include <type_traits>

namespace at::native {
namespace {

template <class Key>
struct Codec {
  using Bits = typename Key::Storage;

  // A descending order complements the keys.
  static Bits orientation(bool descending) { return descending ? Bits(~Bits(0)) : Bits(0); }
  static Bits oriented(Bits key, bool descending) { return Bits(key ^ orientation(descending)); }

  template <class Out, class Make>
  static bool encode(
      const Bits* p, int64_t step, int64_t n, bool descending, Out* out, const Make& make) {
    const Bits flip = orientation(descending);
    Bits lossy = 0;
    if (step == 1) {
      for (int64_t i = 0; i < n; ++i) {
        out[i] = make(Bits(Key::key(p[i], lossy) ^ flip), i);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) {
        out[i] = make(Bits(Key::key(p[i * step], lossy) ^ flip), i);
      }
    }
    return lossy != 0;
  }

  static bool pack(const void* in, int64_t step, int64_t n, bool descending, uint64_t* out) {
    return encode(static_cast<const Bits*>(in), step, n, descending, out, [](Bits key, int64_t i) {
      return static_cast<uint64_t>(key) << 32 | static_cast<uint64_t>(i);
    });
  }

  static bool widen(const void* in, int64_t step, int64_t n, bool descending, WideKey* out) {
    return encode(static_cast<const Bits*>(in), step, n, descending, out, [](Bits key, int64_t i) {
      return WideKey{static_cast<uint64_t>(key), static_cast<uint64_t>(i)};
    });
  }

  static void unpack(const uint64_t* keys, int64_t n, bool descending, void* out, int64_t step) {
    Bits* q = static_cast<Bits*>(out);
    for (int64_t i = 0; i < n; ++i) {
      q[i * step] = Key::value(oriented(static_cast<Bits>(keys[i] >> 32), descending));
    }
  }

  static void narrow(const WideKey* keys, int64_t n, bool descending, void* out, int64_t step) {
    Bits* q = static_cast<Bits*>(out);
    for (int64_t i = 0; i < n; ++i) {
      q[i * step] = Key::value(oriented(static_cast<Bits>(keys[i].key), descending));
    }
  }

  static uint64_t least(const uint64_t* keys, int64_t n) {
    uint64_t result = keys[0];
    for (int64_t i = 1; i < n; ++i) {
      result = keys[i] < result ? keys[i] : result;
    }
    return result;
  }

  static constexpr SortCodec codec{&pack,   &widen, &unpack,
                                   &narrow, &least, static_cast<int>(sizeof(Bits) * 8)};
};

const SortCodec* codec_of(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::ScalarType::Bool:
    case c10::ScalarType::Byte:
      return &Codec<IntegerKey<uint8_t, false>>::codec;
    case c10::ScalarType::Char:
      return &Codec<IntegerKey<uint8_t, true>>::codec;
    case c10::ScalarType::Short:
      return &Codec<IntegerKey<uint16_t, true>>::codec;
    case c10::ScalarType::UInt16:
      return &Codec<IntegerKey<uint16_t, false>>::codec;
    case c10::ScalarType::Int:
      return &Codec<IntegerKey<uint32_t, true>>::codec;
    case c10::ScalarType::UInt32:
      return &Codec<IntegerKey<uint32_t, false>>::codec;
    case c10::ScalarType::Long:
      return &Codec<IntegerKey<uint64_t, true>>::codec;
    case c10::ScalarType::UInt64:
      return &Codec<IntegerKey<uint64_t, false>>::codec;
    case c10::ScalarType::Half:
      return &Codec<FloatKey<uint16_t, 0x7c00>>::codec;
    case c10::ScalarType::BFloat16:
      return &Codec<FloatKey<uint16_t, 0x7f80>>::codec;
    case c10::ScalarType::Float:
      return &Codec<FloatKey<uint32_t, 0x7f800000>>::codec;
    case c10::ScalarType::Double:
      return &Codec<FloatKey<uint64_t, 0x7ff0000000000000>>::codec;
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(sort_codec_stub, &codec_of)

} // namespace at::native
