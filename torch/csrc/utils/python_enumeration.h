#pragma once
// Closed sets of named numbers, such as _ConvBackend, as classes of Python's enum module.
#include <torch/csrc/python_headers.h>

#include <span>
#include <string_view>
#include <utility>

namespace torch {

using EnumerationMember = std::pair<const char*, int>;

// An attribute of a module: enum.Enum(NAME, {member: number}, module=MODULE). The class is made
// when a program first asks for it, by the module's __getattr__, because importing enum and making
// the classes takes a quarter of the time of `import torch`.
class Enumeration {
 public:
  // With `exports_members`, the members are attributes of the module, too. The arguments live as
  // long as the process.
  constexpr Enumeration(
      const char* name, std::span<const EnumerationMember> members, bool exports_members = false)
      : name_(name), members_(members), exports_members_(exports_members) {}

  // Returns false with a Python error set, as the functions below return nullptr.
  bool add_to(PyObject* module);
  // Returns the member with this number as a new reference.
  PyObject* member(int number);
  // Throws python_error (TypeError) if `object` is not a member; the message names `function`.
  int unpack(PyObject* object, const char* function);

  bool belongs_to(PyObject* module) const { return module_ == module; }
  bool provides(std::string_view attribute) const;
  // Returns the class as a borrowed reference that lives as long as the process.
  PyObject* type();

 private:
  PyObject* make() const;

  const char* name_;
  std::span<const EnumerationMember> members_;
  bool exports_members_;
  PyObject* module_ = nullptr; // borrowed: the module lives as long as the process
  PyObject* type_ = nullptr;   // owned by the module
};

} // namespace torch
