#include <caffe2/core/suggest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

namespace caffe2 {

namespace {

// The number of letters to insert, remove or replace; upper and lower case are the same.
size_t edit_distance(const std::string& from, const std::string& to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(from[i])) ==
          std::tolower(static_cast<unsigned char>(to[j]));
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

} // namespace

std::string suggest(const std::string& name, const std::vector<std::string>& names) {
  size_t least = name.size() / 3 + 2;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : names) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest ? "; did you mean " + *nearest + "?" : "";
}

} // namespace caffe2
