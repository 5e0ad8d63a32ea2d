#include <ATen/legacy/Backend.h>

#include <c10/util/Exception.h>

#include <array>

namespace at::legacy {

namespace {

struct Row {
  const char* name;
  c10::DispatchKey key;
  c10::DeviceType device;
  c10::Layout layout;
};

#define AT_ROW(name, key, device, layout) \
  Row{#name, c10::DispatchKey::key, c10::DeviceType::device, c10::Layout::layout},
constexpr std::array rows{AT_FORALL_TYPE_BACKENDS(AT_ROW)};
#undef AT_ROW

const Row& row_of(Backend backend) {
  TORCH_CHECK(backend < Backend::NumOptions, "the back end is undefined");
  return rows[static_cast<size_t>(backend)];
}

} // namespace

const char* toString(Backend backend) {
  return backend < Backend::NumOptions ? row_of(backend).name : "Undefined";
}

Backend backend_of(c10::DispatchKey key) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].key == key) return static_cast<Backend>(i);
  }
  return Backend::Undefined;
}

c10::DispatchKey dispatch_key_of(Backend backend) {
  return row_of(backend).key;
}
c10::DeviceType device_type_of(Backend backend) {
  return row_of(backend).device;
}
c10::Layout layout_of(Backend backend) {
  return row_of(backend).layout;
}

} // namespace at::legacy
