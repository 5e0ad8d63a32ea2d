#pragma once

#include <ATen/ViewMeta.h>
#include <ATen/core/boxing/unboxed_argument.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

// What functionalization knows about operators: the rows that the generator writes.
namespace at::functionalization {

// The step of a view. `arguments` are those of the view after self.
using MakeViewMeta = std::shared_ptr<const ViewMeta> (*)(
    bool reapply_views, const Geometry& input, const c10::IValue* arguments);

struct ViewRow {
  std::string_view view;
  MakeViewMeta step = nullptr;
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

struct ViewOperators {
  c10::OperatorHandle view;
  MakeViewMeta step;
};

// The row of a view, or nullptr.
TORCH_API const ViewOperators* find_view(const c10::OperatorEntry& entry);
// The variant that computes what an operator writes; for an operator that makes its argument a view
// in place, that view.
TORCH_API std::optional<c10::OperatorHandle> find_functional(const c10::OperatorEntry& entry);

// Takes the arguments of a step's constructor from a stack.
template <typename Step, typename... Args>
std::shared_ptr<const ViewMeta> make_view_meta(
    bool reapply_views, const Geometry& input, const c10::IValue* arguments) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return std::make_shared<const Step>(
        reapply_views, input, c10::impl::unboxed_argument<Args>(arguments[I]).get()...);
  }
  (std::index_sequence_for<Args...>());
}

} // namespace at::functionalization
