#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace torch::lazy {

// While it lives, calls of operators run the kernels of the tensors' devices and nothing above
// them: a trace runs long after the modes that were active when it was recorded, and possibly under
// others.
class DirectCalls {
 public:
  DirectCalls()
      : guard_(
            c10::DispatchKeySet(c10::DispatchKeySet::FULL) -
            c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::Python)) {}

 private:
  c10::impl::ExcludeDispatchKeyGuard guard_;
};

} // namespace torch::lazy
