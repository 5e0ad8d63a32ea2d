#pragma once

#include <ATen/core/dispatch/OperatorEntry.h>

#include <cstddef>

namespace c10 {

// Applies a block of registrations when its library loads and undoes them when it unloads.
class TORCH_API KernelTable {
 public:
  template <size_t N>
  explicit KernelTable(KernelRow (&rows)[N]) : KernelTable(rows, N) {}
  KernelTable(KernelRow* rows, size_t count);
  ~KernelTable();
  C10_DISABLE_COPY_AND_ASSIGN(KernelTable);

 private:
  KernelRow* rows_;
  size_t count_;
};

// Makes a block of operators available by name. The names are hashed at the first lookup.
class TORCH_API EntryTable {
 public:
  template <size_t N>
  explicit EntryTable(OperatorEntry* const (&entries)[N]) : EntryTable(entries, N) {}
  EntryTable(OperatorEntry* const* entries, size_t count);
  ~EntryTable();
  C10_DISABLE_COPY_AND_ASSIGN(EntryTable);

  OperatorEntry* const* begin() const { return entries_; }
  OperatorEntry* const* end() const { return entries_ + count_; }
  EntryTable* next() const { return next_; }

 private:
  friend class Dispatcher;
  OperatorEntry* const* entries_;
  size_t count_;
  EntryTable* next_ = nullptr;
};

} // namespace c10
