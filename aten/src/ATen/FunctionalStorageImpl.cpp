#include <ATen/FunctionalStorageImpl.h>

#include <c10/core/GradMode.h>
#include <c10/core/TensorImpl.h>

#include <utility>

namespace at::functionalization {

namespace {

size_t bytes_of(const Tensor& value) {
  return value.has_storage()
      ? value.storage().nbytes()
      : c10::computeStorageNbytes(
            value.sizes(), value.strides(), value.itemsize(), value.storage_offset());
}

} // namespace

FunctionalStorageImpl::FunctionalStorageImpl(const Tensor& base)
    : StorageImpl(
          use_byte_size_t{}, bytes_of(base), c10::DataPtr(nullptr, base.device()), nullptr,
          /*resizable=*/true),
      base_(base),
      geometry_(*base.unsafeGetTensorImpl()) {}

void FunctionalStorageImpl::add_update(const Tensor& value, const ViewSteps& views) {
  TORCH_CHECK(!frozen_, "cannot mutate tensors with frozen storage");
  if (views.empty()) {
    updates_.clear(); // the base is replaced whole
    base_ = value;
    if (IntArrayRef(geometry_.sizes) != value.sizes()) {
      geometry_ = Geometry(*value.unsafeGetTensorImpl());
      set_nbytes(bytes_of(value));
    }
  } else {
    updates_.push_back({value, views});
  }
  ++generation_;
}

bool FunctionalStorageImpl::apply_updates() {
  const bool any = !updates_.empty();
  for (const Update& update : std::exchange(updates_, {})) {
    apply(update);
  }
  return any;
}

void FunctionalStorageImpl::apply(const Update& update) {
  std::vector<Tensor> bases{base_};
  for (size_t i = 0; i + 1 < update.views.size(); ++i) {
    bases.push_back(update.views[i]->replay(bases.back()));
  }
  Tensor value = update.value;
  for (size_t i = update.views.size(); i-- > 0;) {
    value = update.views[i]->undo(bases[i], value);
  }
  base_ = std::move(value);
}

void FunctionalStorageImpl::mark_mutation() {
  ++mutations_;
  if (!c10::GradMode::is_enabled()) {
    ++mutations_without_grad_;
  }
}

} // namespace at::functionalization
