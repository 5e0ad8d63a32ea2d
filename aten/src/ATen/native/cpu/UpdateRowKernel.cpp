// Rows of index_add, index_reduce, scatter_reduce and index_put_ with accumulation.

#include <ATen/native/AccumulateElements.h>
#include <ATen/native/cpu/Lanes.h>

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

// Half types are combined as floats and rounded; the compiler does not vectorize their conversions.
template <typename T, template <typename> class Action>
void update_half_row(const void* plain, void* indexed, int64_t count) {
  constexpr int L = kLanes<float>;
  using Update = Action<Lanes<float>>;
  const T* from = static_cast<const T*>(plain);
  T* to = static_cast<T*>(indexed);
  int64_t i = 0;
  for (; i + L <= count; i += L) {
    const auto both = Update::update(load_lanes<float>(to + i), load_lanes<float>(from + i));
    save_lanes<T, float>(to + i, both);
  }
  if (i < count) {
    const auto a = load_up_to<float>(to + i, count - i, 0.0f);
    const auto b = load_up_to<float>(from + i, count - i, 0.0f);
    save_up_to<T, float>(to + i, Update::update(a, b), count - i);
  }
}

template <typename T, template <typename> class Action>
constexpr update_row_fn row_kernel() {
  if constexpr (std::is_same_v<at::vec::lane_type<T>, T>) {
    return &update_row<T, Action>;
  } else {
    return &update_half_row<T, Action>;
  }
}

template <typename T>
update_row_fn row_of(IndexedAction action) {
  switch (action) {
    case IndexedAction::Add:
      return row_kernel<T, Add>();
    case IndexedAction::Multiply:
      return row_kernel<T, Multiply>();
    case IndexedAction::Maximum:
      return row_kernel<T, Maximum>();
    case IndexedAction::Minimum:
      return row_kernel<T, Minimum>();
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
    case c10::ScalarType::BFloat16:
      return row_of<c10::BFloat16>(action);
    case c10::ScalarType::Half:
      return row_of<c10::Half>(action);
    default:
      return nullptr;
  }
}

} // namespace

REGISTER_DISPATCH(update_row_stub, &update_row_kernel)

} // namespace at::native
