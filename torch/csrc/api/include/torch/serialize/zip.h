#pragma once

#include <c10/util/Exception.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

// Archives in the ZIP format whose entries are stored without compression, as PyTorch writes them.
namespace torch::serialize {

namespace detail {

inline uint32_t crc32(const char* data, size_t size) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> result{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit)
        value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
      result[i] = value;
    }
    return result;
  }();
  uint32_t value = ~0u;
  for (size_t i = 0; i < size; ++i)
    value = value >> 8 ^ table[(value ^ static_cast<uint8_t>(data[i])) & 0xff];
  return ~value;
}

// Little-endian numbers, whatever the machine's order.
inline void put(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>(value >> 8 * i & 0xff));
}
inline uint64_t get(const std::string& in, size_t at, int bytes) {
  TORCH_CHECK(at + static_cast<size_t>(bytes) <= in.size(), "the archive ends too early");
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(in[at + static_cast<size_t>(i)])) << 8 * i;
  return value;
}

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;

} // namespace detail

// Collects entries and writes them to a file.
class ZipWriter {
 public:
  void add(const std::string& name, const char* data, size_t size) {
    TORCH_CHECK(
        archive_.size() + size < 0xffffffffu, "an archive larger than 4 GB is not supported");
    const uint32_t crc = detail::crc32(data, size);
    const size_t offset = archive_.size();
    const auto header = [&](std::string& out, bool central) {
      detail::put(out, central ? detail::kCentral : detail::kLocal, 4);
      if (central) detail::put(out, 20, 2); // version that made it
      detail::put(out, 20, 2);              // version to read it
      detail::put(out, 0, 8);               // flags, method 0, no time: DOS time and date are 0
      detail::put(out, crc, 4);
      detail::put(out, size, 4);
      detail::put(out, size, 4);
      detail::put(out, name.size(), 2);
    };
    header(archive_, false);
    // Data begins at a multiple of 64 bytes, after an extra field of zeros.
    const size_t start = archive_.size() + 2 + name.size() + 4;
    const size_t padding = (64 - start % 64) % 64;
    detail::put(archive_, padding + 4, 2);
    archive_ += name;
    archive_ += "FB";
    detail::put(archive_, padding, 2);
    archive_.append(padding, 'Z');
    archive_.append(data, size);
    header(directory_, true);
    detail::put(directory_, 0, 2 + 2 + 2 + 2 + 4); // extra field, comment, disk, attributes
    detail::put(directory_, offset, 4);
    directory_ += name;
    ++count_;
  }
  void add(const std::string& name, const std::string& data) {
    add(name, data.data(), data.size());
  }

  void write(const std::string& path) const {
    std::string end;
    detail::put(end, detail::kEnd, 4);
    detail::put(end, 0, 4);
    detail::put(end, count_, 2);
    detail::put(end, count_, 2);
    detail::put(end, directory_.size(), 4);
    detail::put(end, archive_.size(), 4);
    detail::put(end, 0, 2);
    std::ofstream file(path, std::ios::binary);
    file << archive_ << directory_ << end;
    file.close();
    TORCH_CHECK(file, "cannot write ", path);
  }

 private:
  std::string archive_, directory_;
  uint64_t count_ = 0;
};

// The entries of an archive, by name without the folder that all of them are in.
class ZipReader {
 public:
  explicit ZipReader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    TORCH_CHECK(file, "cannot read ", path);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    size_t at = bytes.rfind("PK\5\6");
    TORCH_CHECK(at != std::string::npos, path, " is not an archive");
    const uint64_t count = detail::get(bytes, at + 10, 2);
    at = detail::get(bytes, at + 16, 4);
    for (uint64_t i = 0; i < count; ++i) {
      TORCH_CHECK(detail::get(bytes, at, 4) == detail::kCentral, path, " has a damaged directory");
      TORCH_CHECK(detail::get(bytes, at + 10, 2) == 0, path, " has compressed entries");
      const uint64_t size = detail::get(bytes, at + 24, 4);
      const uint64_t name = detail::get(bytes, at + 28, 2), extra = detail::get(bytes, at + 30, 2);
      const uint64_t comment = detail::get(bytes, at + 32, 2);
      const uint64_t local = detail::get(bytes, at + 42, 4);
      const uint64_t data =
          local + 30 + detail::get(bytes, local + 26, 2) + detail::get(bytes, local + 28, 2);
      TORCH_CHECK(
          data + size <= bytes.size() && at + 46 + name <= bytes.size(), path, " ends too early");
      const std::string full = bytes.substr(at + 46, name);
      const std::string content = bytes.substr(data, size);
      TORCH_CHECK(
          detail::crc32(content.data(), content.size()) == detail::get(bytes, at + 16, 4), path,
          ": the entry ", full, " is damaged");
      entries_[full.substr(full.find('/') + 1)] = content;
      at += 46 + name + extra + comment;
    }
  }
  const std::string& operator[](const std::string& name) const {
    const auto found = entries_.find(name);
    TORCH_CHECK(found != entries_.end(), "the archive has no entry ", name);
    return found->second;
  }

 private:
  std::map<std::string, std::string> entries_;
};

} // namespace torch::serialize
