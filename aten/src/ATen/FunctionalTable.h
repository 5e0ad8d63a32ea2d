#pragma once

#include <ATen/FunctionalInverses.h>
#include <ATen/core/boxing/unboxed_argument.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

// What functionalization knows about operators: the rows that the generator writes.
namespace at::functionalization {

// Returns the base after a view of it was changed. `arguments` are those of the view after self;
// `index` is the place of the changed view among several.
using BoxedInverse = Tensor (*)(
    const Tensor& base, const Tensor& mutated_view, InverseReturnMode mode, int64_t index,
    const c10::IValue* arguments);

struct ViewRow {
  std::string_view view;
  std::string_view copy; // empty if no operator copies
  BoxedInverse inverse = nullptr;
};

// A block of rows; available while its library is loaded.
class TORCH_API FunctionalTable {
 public:
  // `mutations` has a line "operator variant" for each operator; the last view is empty.
  FunctionalTable(std::string_view mutations, const ViewRow* views);
  ~FunctionalTable();
  C10_DISABLE_COPY_AND_ASSIGN(FunctionalTable);

 private:
  friend struct KnownOperators;
  std::string_view mutations_;
  const ViewRow* views_;
  FunctionalTable* next_;
};

// A view with its operators.
struct ViewOperators {
  c10::OperatorHandle view;
  std::optional<c10::OperatorHandle> copy;
  BoxedInverse inverse;
};

// The row of a view, or nullptr.
TORCH_API const ViewOperators* find_view(const c10::OperatorEntry& entry);
// The variant that computes what an operator writes; for an operator that makes its argument a view
// in place, that view.
TORCH_API std::optional<c10::OperatorHandle> find_functional(const c10::OperatorEntry& entry);

namespace detail {

template <typename... Args, typename Call, size_t... I>
Tensor call_with(Call&& call, const c10::IValue* arguments, std::index_sequence<I...>) {
  return call(c10::impl::unboxed_argument<Args>(arguments[I]).get()...);
}

template <auto function, typename... Args>
Tensor call_inverse(
    Tensor (*)(const Tensor&, const Tensor&, InverseReturnMode, Args...), const Tensor& base,
    const Tensor& mutated, InverseReturnMode mode, int64_t, const c10::IValue* arguments) {
  return call_with<Args...>(
      [&](Args... values) { return function(base, mutated, mode, std::forward<Args>(values)...); },
      arguments, std::index_sequence_for<Args...>());
}

} // namespace detail

// Takes the arguments of an inverse from a stack. `several` says that the view returns a list.
template <auto function, bool several = false>
Tensor boxed_inverse(
    const Tensor& base, const Tensor& mutated, InverseReturnMode mode, int64_t index,
    const c10::IValue* arguments) {
  if constexpr (several) {
    constexpr auto with_index =
        []<typename... Args>(
            Tensor (*)(const Tensor&, const Tensor&, InverseReturnMode, int64_t, Args...),
            const Tensor& b, const Tensor& m, InverseReturnMode r, int64_t i,
            const c10::IValue* values) {
          return detail::call_with<Args...>(
              [&](Args... each) { return function(b, m, r, i, std::forward<Args>(each)...); },
              values, std::index_sequence_for<Args...>());
        };
    return with_index(function, base, mutated, mode, index, arguments);
  } else {
    return detail::call_inverse<function>(function, base, mutated, mode, index, arguments);
  }
}

} // namespace at::functionalization
