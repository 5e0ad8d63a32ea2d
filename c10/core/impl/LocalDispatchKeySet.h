#pragma once

#include <c10/core/DispatchKeySet.h>

namespace c10::impl {

// Keys that this thread adds to and removes from every call. They are functionalities only: the
// back ends of a call are those of its arguments. They are stored as the difference from the
// default, so the thread-local words start as zero and need no constructor.
struct PODLocalDispatchKeySet {
  uint64_t included_;
  uint64_t excluded_;

  DispatchKeySet included() const {
    return {DispatchKeySet::RAW, included_ ^ default_included_set.raw_repr()};
  }
  DispatchKeySet excluded() const {
    return {DispatchKeySet::RAW, excluded_ ^ default_excluded_set.raw_repr()};
  }
  void set_included(DispatchKeySet set) {
    included_ = set.raw_repr() ^ default_included_set.raw_repr();
  }
  void set_excluded(DispatchKeySet set) {
    excluded_ = set.raw_repr() ^ default_excluded_set.raw_repr();
  }
};

extern C10_API constinit thread_local PODLocalDispatchKeySet raw_local_dispatch_key_set
    C10_FAST_TLS;

struct LocalDispatchKeySet {
  DispatchKeySet included_;
  DispatchKeySet excluded_;
};

inline LocalDispatchKeySet tls_local_dispatch_key_set() {
  return {raw_local_dispatch_key_set.included(), raw_local_dispatch_key_set.excluded()};
}
inline void _force_tls_local_dispatch_key_set(LocalDispatchKeySet set) {
  raw_local_dispatch_key_set.set_included(set.included_.without_backends());
  raw_local_dispatch_key_set.set_excluded(set.excluded_.without_backends());
}

inline bool tls_is_dispatch_key_included(DispatchKey key) {
  return raw_local_dispatch_key_set.included().has(toFunctionalityKey(key));
}
inline bool tls_is_dispatch_key_excluded(DispatchKey key) {
  return raw_local_dispatch_key_set.excluded().has(toFunctionalityKey(key));
}
inline bool tls_is_dispatch_keyset_included(DispatchKeySet set) {
  return raw_local_dispatch_key_set.included().has_all(set.without_backends());
}
inline bool tls_is_dispatch_keyset_excluded(DispatchKeySet set) {
  return raw_local_dispatch_key_set.excluded().has_all(set.without_backends());
}
inline void tls_set_dispatch_key_included(DispatchKey key, bool on) {
  auto& local = raw_local_dispatch_key_set;
  local.set_included(
      on ? local.included().add(toFunctionalityKey(key)) : local.included().remove(key));
}
inline void tls_set_dispatch_key_excluded(DispatchKey key, bool on) {
  auto& local = raw_local_dispatch_key_set;
  local.set_excluded(
      on ? local.excluded().add(toFunctionalityKey(key)) : local.excluded().remove(key));
}

class IncludeDispatchKeyGuard {
 public:
  explicit IncludeDispatchKeyGuard(DispatchKeySet set)
      : added_(set.without_backends() - raw_local_dispatch_key_set.included()) {
    auto& local = raw_local_dispatch_key_set;
    local.set_included(local.included() | added_);
  }
  explicit IncludeDispatchKeyGuard(DispatchKey key)
      : IncludeDispatchKeyGuard(DispatchKeySet(key)) {}
  ~IncludeDispatchKeyGuard() {
    auto& local = raw_local_dispatch_key_set;
    local.set_included(local.included() - added_);
  }
  C10_DISABLE_COPY_AND_ASSIGN(IncludeDispatchKeyGuard);

 private:
  DispatchKeySet added_;
};

class ExcludeDispatchKeyGuard {
 public:
  explicit ExcludeDispatchKeyGuard(DispatchKeySet set)
      : added_(set.without_backends() - raw_local_dispatch_key_set.excluded()) {
    auto& local = raw_local_dispatch_key_set;
    local.set_excluded(local.excluded() | added_);
  }
  explicit ExcludeDispatchKeyGuard(DispatchKey key)
      : ExcludeDispatchKeyGuard(DispatchKeySet(key)) {}
  ~ExcludeDispatchKeyGuard() {
    auto& local = raw_local_dispatch_key_set;
    local.set_excluded(local.excluded() - added_);
  }
  C10_DISABLE_COPY_AND_ASSIGN(ExcludeDispatchKeyGuard);

 private:
  DispatchKeySet added_;
};

class ForceDispatchKeyGuard {
 public:
  ForceDispatchKeyGuard() : saved_(raw_local_dispatch_key_set) {}
  ForceDispatchKeyGuard(DispatchKeySet included, DispatchKeySet excluded)
      : ForceDispatchKeyGuard() {
    _force_tls_local_dispatch_key_set({included, excluded});
  }
  ~ForceDispatchKeyGuard() { raw_local_dispatch_key_set = saved_; }
  C10_DISABLE_COPY_AND_ASSIGN(ForceDispatchKeyGuard);

 private:
  PODLocalDispatchKeySet saved_;
};

} // namespace c10::impl
