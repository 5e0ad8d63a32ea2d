// Tensors as text: rows of numbers that have one format, in which the first column is indented.
#include <ATen/core/Formatting.h>

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <c10/core/Backend.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <span>
#include <string>
#include <vector>

namespace at {
namespace {

class KeptFormat {
 public:
  explicit KeptFormat(std::ostream& out) : out_(out), saved_(nullptr) { saved_.copyfmt(out); }
  ~KeptFormat() { out_.copyfmt(saved_); }
  C10_DISABLE_COPY_AND_ASSIGN(KeptFormat);

 private:
  std::ostream& out_;
  std::ios saved_;
};

struct Format {
  double scale = 1; // a factor that all numbers are divided by
  int width = 0;
};

// The number of digits before the decimal point, negative for leading zeros after it.
int digits(double value) {
  return value == 0 ? 1 : static_cast<int>(std::floor(std::log10(value))) + 1;
}

// Sets the notation of a stream to one that suits all numbers.
Format choose_format(std::ostream& out, std::span<const double> values) {
  if (values.empty()) return {};
  const bool integers = std::all_of(values.begin(), values.end(), [](double value) {
    return !std::isfinite(value) || value == std::ceil(value);
  });
  int low = 1, high = 1;
  double least = INFINITY, most = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, std::abs(value));
    most = std::max(most, std::abs(value));
  }
  if (least != INFINITY) {
    low = digits(least);
    high = digits(most);
  }
  if (integers && high <= 9) {
    out << std::defaultfloat;
    return {1, high + 1};
  }
  out << std::setprecision(4);
  if (integers || high - low > 4) {
    out << std::scientific;
    return {1, !integers && std::max(std::abs(high), std::abs(low)) > 99 ? 12 : 11};
  }
  out << std::fixed;
  if (high > 5 || high < 0) return {std::pow(10.0, high - 1), 7};
  return {1, high == 0 ? 7 : high + 6};
}

// A power of ten, which PyTorch writes with an exponent only outside 1e-4 to 1e15.
void print_scale(std::ostream& out, double scale) {
  const KeptFormat kept(out);
  if (scale >= 1 && scale < 1e16) {
    out << std::fixed << std::setprecision(0);
  } else {
    out << std::defaultfloat;
  }
  out << scale << " *\n";
}

void print_vector(std::ostream& out, std::span<const double> values) {
  const Format format = choose_format(out, values);
  if (format.scale != 1) print_scale(out, format.scale);
  for (const double value : values)
    out << std::setw(format.width) << value / format.scale << "\n";
}

void print_matrix(
    std::ostream& out, std::span<const double> values, int64_t columns, int64_t linesize,
    int indent) {
  const Format format = choose_format(out, values);
  const std::string margin(indent, ' ');
  const std::string following(format.scale == 1 ? indent : indent + 1, ' ');
  const int64_t fit = std::max<int64_t>(1, (linesize - indent) / (format.width + 1));
  const int64_t rows = columns == 0 ? 0 : static_cast<int64_t>(values.size()) / columns;
  for (int64_t first = 0; first < columns; first += fit) {
    const int64_t last = std::min(first + fit, columns) - 1;
    if (fit < columns) {
      out << (first ? "\n" : "") << "Columns " << first + 1 << " to " << last + 1 << margin;
    }
    if (format.scale != 1) {
      print_scale(out, format.scale);
      out << margin;
    }
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = first; column <= last; ++column) {
        out << std::setw(format.width) << values[row * columns + column] / format.scale
            << (column == last ? "\n" : " ");
      }
      if (row + 1 < rows) out << following;
    }
  }
}

// Prints each matrix of the last two dimensions under its place in the others, of which the first
// changes fastest.
void print_matrices(
    std::ostream& out, std::span<const double> values, IntArrayRef sizes, int64_t linesize) {
  const IntArrayRef outer = sizes.slice(0, sizes.size() - 2);
  const int64_t columns = sizes.back(), matrix = sizes[outer.size()] * columns;
  std::vector<int64_t> place(outer.size());
  for (size_t printed = 0; printed < values.size(); printed += matrix) {
    int64_t index = 0;
    out << (printed ? "\n(" : "(");
    for (size_t dim = 0; dim < place.size(); ++dim) {
      index = index * outer[dim] + place[dim];
      out << place[dim] + 1 << ",";
    }
    out << ".,.) = \n";
    print_matrix(out, values.subspan(index * matrix, matrix), columns, linesize, 1);
    for (size_t dim = 0; dim < place.size() && ++place[dim] == outer[dim]; ++dim)
      place[dim] = 0;
  }
}

} // namespace

std::ostream& print(std::ostream& out, const Tensor& tensor, int64_t linesize) {
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  const KeptFormat kept(out);
  const IntArrayRef sizes = tensor.sizes();
  const bool readable = tensor.layout() == kStrided && !tensor.is_meta();
  if (readable) {
    const c10::NoGradGuard no_grad;
    Tensor numbers = at::empty(sizes, TensorOptions(kCPU).dtype(kDouble));
    at::_ops::copy_::call(numbers, tensor, /*non_blocking=*/false);
    const std::span<const double> values(
        numbers.const_data_ptr<double>(), static_cast<size_t>(numbers.numel()));
    if (sizes.empty()) {
      out << std::defaultfloat << values[0] << "\n";
    } else if (sizes.size() == 1) {
      print_vector(out, values);
    } else if (sizes.size() == 2) {
      print_matrix(out, values, sizes[1], linesize, 0);
    } else {
      print_matrices(out, values, sizes, linesize);
    }
  }
  const c10::Backend backend = c10::dispatchKeyToBackend(
      (tensor.key_set() & c10::backend_dispatch_keyset).highestPriorityTypeId());
  out << "[ " << c10::toString(backend) << c10::toString(tensor.scalar_type()) << "Type{";
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    out << (dim ? "," : "") << sizes[dim];
  return out << "} ]";
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return print(out, tensor, 80);
}

} // namespace at
