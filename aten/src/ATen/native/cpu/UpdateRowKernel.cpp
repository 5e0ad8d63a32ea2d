// Rows of index_add, index_reduce, scatter_reduce and index_put_ with accumulation.

#include <ATen/native/AccumulateElements.h>

namespace at::native {
namespace {

template <typename T>
struct Add {
  static T update(T a, T b) { return a + b; }
};
template <typename T>
struct Multiply {
  static T update(T a, T b) { return a * b; }
};
template <typename T>
struct Maximum {
  static T update(T a, T b) { return greater_of(a, b); }
};
template <typename T>
struct Minimum {
  static T update(T a, T b) { return lesser_of(a, b); }
};

// The compiler vectorizes the loop.
template <typename T, template <typename> class Action>
void update_row(const void* plain, void* indexed, int64_t count) {
  const T* __restrict__ from = static_cast<const T*>(plain);
  T* __restrict__ to = static_cast<T*>(indexed);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = Action<T>::update(to[i], from[i]);
  }
}

template <typename T>
update_row_fn row_of(IndexedAction action) {
  switch (action) {
    case IndexedAction::Add:
      return &update_row<T, Add>;
    case IndexedAction::Multiply:
      return &update_row<T, Multiply>;
    case IndexedAction::Maximum:
      return &update_row<T, Maximum>;
    case IndexedAction::Minimum:
      return &update_row<T, Minimum>;
    default:
      return nullptr;
  }
}

update_row_fn update_row_kernel(IndexedAction action, c10::ScalarType dtype) {
  const bool extremum = action == IndexedAction::Maximum || action == IndexedAction::Minimum;
  switch (dtype) {
    case c10::ScalarType::Float:
      return row_of<float>(action);
    case c10::ScalarType::Double:
      return row_of<double>(action);
    case c10::ScalarType::Int: // sums and products wrap around
      return extremum ? row_of<int32_t>(action) : row_of<uint32_t>(action);
    case c10::ScalarType::Long:
      return extremum ? row_of<int64_t>(action) : row_of<uint64_t>(action);
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(update_row_stub, &update_row_kernel)

} // namespace at::native
