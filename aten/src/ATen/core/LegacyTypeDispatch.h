#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace at {

// A kernel opens this guard around its call of lower kernels, so that operators called from there
// do not return to this key or a higher one.
template <uint64_t keys>
class AutoDispatchBelow {
 public:
  AutoDispatchBelow() : saved_(c10::impl::raw_local_dispatch_key_set.excluded_) {
    // None of the keys is excluded by default, so their bits are stored unchanged.
    static_assert((keys & c10::default_excluded_set.raw_repr()) == 0);
    c10::impl::raw_local_dispatch_key_set.excluded_ = saved_ | keys;
  }
  ~AutoDispatchBelow() { c10::impl::raw_local_dispatch_key_set.excluded_ = saved_; }
  C10_DISABLE_COPY_AND_ASSIGN(AutoDispatchBelow);

 private:
  uint64_t saved_;
};

using AutoDispatchBelowAutograd = AutoDispatchBelow<c10::autograd_dispatch_keyset.raw_repr()>;
using AutoDispatchBelowADInplaceOrView =
    AutoDispatchBelow<c10::autograd_dispatch_keyset_with_ADInplaceOrView.raw_repr()>;

} // namespace at
