#pragma once
// Lets pybind11 convert tensors, numbers, dtypes, devices and sizes; stl.h adds lists, optionals
// and tuples of them. The library itself does not use pybind11: an extension brings its headers.
#include <torch/csrc/python_headers.h>

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <torch/csrc/utils/python_values.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace torch::python::detail {

// How a type is held in a c10::IValue.
template <typename T>
struct InIValue {
  static T from(const c10::IValue& value) { return static_cast<T>(value.toInt()); }
  static c10::IValue to(T value) { return static_cast<int64_t>(value); }
};
template <>
struct InIValue<at::Tensor> {
  static at::Tensor from(const c10::IValue& value) { return value.toTensor(); }
  static c10::IValue to(at::Tensor value) { return value; }
};
template <>
struct InIValue<at::Generator> {
  static at::Generator from(const c10::IValue& value) { return value.toGenerator(); }
  static c10::IValue to(at::Generator value) { return value; }
};
template <>
struct InIValue<at::Scalar> {
  static at::Scalar from(const c10::IValue& value) { return value.toScalar(); }
  static c10::IValue to(const at::Scalar& value) { return value; }
};
template <>
struct InIValue<at::Device> {
  static at::Device from(const c10::IValue& value) { return value.toDevice(); }
  static c10::IValue to(at::Device value) { return value; }
};

// A type_caster of pybind11, without its name.
template <typename T>
struct CasterOf {
  operator T*() { return &*value_; }
  operator T&() { return *value_; }
  operator T&&() && { return std::move(*value_); }
  template <typename U>
  using cast_op_type = pybind11::detail::movable_cast_op_type<U>;

 protected:
  std::optional<T> value_;
};

template <typename T, c10::TypeKind kind>
struct Caster : CasterOf<T> {
  bool load(pybind11::handle source, bool) {
    const auto found = value_of(source.ptr(), kind);
    if (found) this->value_ = InIValue<T>::from(*found);
    return found.has_value();
  }
  static pybind11::handle cast(const T& source, pybind11::return_value_policy, pybind11::handle) {
    return object_of(InIValue<T>::to(source), kind);
  }
};

// Sizes: a list or a tuple of integers, which the caster keeps.
struct SizesCaster : CasterOf<at::IntArrayRef> {
  bool load(pybind11::handle source, bool) {
    if (!PyList_Check(source.ptr()) && !PyTuple_Check(source.ptr())) return false;
    sizes_.clear();
    for (const pybind11::handle item : pybind11::reinterpret_borrow<pybind11::sequence>(source)) {
      const auto found = value_of(item.ptr(), c10::TypeKind::Int);
      if (!found) return false;
      sizes_.push_back(found->toInt());
    }
    value_ = at::IntArrayRef(sizes_);
    return true;
  }
  static pybind11::handle cast(
      at::IntArrayRef source, pybind11::return_value_policy, pybind11::handle) {
    pybind11::tuple made(source.size());
    for (size_t i = 0; i < source.size(); ++i)
      made[i] = source[i];
    return made.release();
  }

 private:
  std::vector<int64_t> sizes_;
};

// Makes errors of torch Python exceptions without the place in C++ that raised them. Libraries that
// are no Python modules are loaded without the interpreter's lock, and need no translation.
inline bool translate_errors() {
  if (!Py_IsInitialized() || !PyGILState_Check()) return false;
  pybind11::register_local_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const c10::IndexError& error) {
      PyErr_SetString(PyExc_IndexError, error.what_without_backtrace());
    } catch (const c10::ValueError& error) {
      PyErr_SetString(PyExc_ValueError, error.what_without_backtrace());
    } catch (const c10::TypeError& error) {
      PyErr_SetString(PyExc_TypeError, error.what_without_backtrace());
    } catch (const c10::NotImplementedError& error) {
      PyErr_SetString(PyExc_NotImplementedError, error.what_without_backtrace());
    } catch (const c10::Error& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what_without_backtrace());
    }
  });
  return true;
}
inline const bool errors_are_translated = translate_errors();

} // namespace torch::python::detail

namespace pybind11::detail {

template <>
struct type_caster<at::Tensor> : torch::python::detail::Caster<at::Tensor, c10::TypeKind::Tensor> {
  static constexpr auto name = const_name("torch.Tensor");
};
template <>
struct type_caster<at::Scalar> : torch::python::detail::Caster<at::Scalar, c10::TypeKind::Scalar> {
  static constexpr auto name = const_name("Union[Number, bool]");
};
template <>
struct type_caster<at::ScalarType>
    : torch::python::detail::Caster<at::ScalarType, c10::TypeKind::ScalarType> {
  static constexpr auto name = const_name("torch.dtype");
};
template <>
struct type_caster<at::Device> : torch::python::detail::Caster<at::Device, c10::TypeKind::Device> {
  static constexpr auto name = const_name("torch.device");
};
template <>
struct type_caster<at::Layout> : torch::python::detail::Caster<at::Layout, c10::TypeKind::Layout> {
  static constexpr auto name = const_name("torch.layout");
};
template <>
struct type_caster<at::MemoryFormat>
    : torch::python::detail::Caster<at::MemoryFormat, c10::TypeKind::MemoryFormat> {
  static constexpr auto name = const_name("torch.memory_format");
};
template <>
struct type_caster<at::Generator>
    : torch::python::detail::Caster<at::Generator, c10::TypeKind::Generator> {
  static constexpr auto name = const_name("torch.Generator");
};
template <>
struct type_caster<at::IntArrayRef> : torch::python::detail::SizesCaster {
  static constexpr auto name = const_name("Tuple[int, ...]");
};

} // namespace pybind11::detail
