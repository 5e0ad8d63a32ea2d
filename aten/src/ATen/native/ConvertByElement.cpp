#include <ATen/native/cpu/ConvertLoops.h>

#include <ATen/ScalarValue.h>

namespace at::native {

namespace {

template <typename To, typename From>
void convert_run(char** data, const int64_t* strides, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    *reinterpret_cast<To*>(data[0] + i * strides[0]) =
        convert_element<To>(*reinterpret_cast<const From*>(data[1] + i * strides[1]));
  }
}

template <typename To>
ConvertRun run_from(ScalarType from) {
  switch (from) {
#define AT_FROM_CASE(type, name, number) \
  case ScalarType::name:                 \
    return &convert_run<To, type>;
    C10_FORALL_NUMBER_TYPES(AT_FROM_CASE)
#undef AT_FROM_CASE
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "\"copy_\" not implemented for '", from, "'");
  }
}

} // namespace

ConvertRun find_convert_run(ScalarType to, ScalarType from) {
  switch (to) {
#define AT_TO_CASE(type, name, number) \
  case ScalarType::name:               \
    return run_from<type>(from);
    C10_FORALL_NUMBER_TYPES(AT_TO_CASE)
#undef AT_TO_CASE
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "\"copy_\" not implemented for '", to, "'");
  }
}

void convert_by_element(TensorIterator& iter) {
  const ConvertRun run = find_convert_run(iter.dtype(0), iter.dtype(1));
  iter.for_each_1d(
      [run](char** data, const int64_t* strides, int64_t n) { run(data, strides, n); });
}

} // namespace at::native
