#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Scalar.h>
#include <c10/core/Storage.h>
#include <c10/util/intrusive_ptr.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace c10 {

namespace ivalue {

// A reference-counted heap value of an IValue.
template <typename T>
struct Boxed final : intrusive_ptr_target {
  explicit Boxed(T held) : value(std::move(held)) {}
  T value;
};

} // namespace ivalue

// A value of any type that operators take or return, in 16 bytes. Boxed kernels work on these.
struct TORCH_API IValue final {
 public:
  enum class Tag : uint8_t {
    None,
    Bool,
    Int,
    Double,
    Device,
    // kinds from here on have a counted payload
    Tensor,
    Storage,
    Generator,
    ComplexDouble,
    String,
    BoolList,
    IntList,
    DoubleList,
    TensorList,
    GenericList,
    Tuple,
    Object,
  };

  IValue() noexcept : tag_(Tag::None) { payload_.as_int = 0; }
  IValue(std::nullopt_t) noexcept : IValue() {}
  IValue(const IValue& other) noexcept : payload_(other.payload_), tag_(other.tag_) {
    if (is_counted()) {
      raw::incref(payload_.as_object);
    }
  }
  IValue(IValue&& other) noexcept : payload_(other.payload_), tag_(other.tag_) {
    other.tag_ = Tag::None;
  }
  IValue& operator=(IValue other) noexcept {
    std::swap(payload_, other.payload_);
    std::swap(tag_, other.tag_);
    return *this;
  }
  ~IValue() {
    if (is_counted()) {
      raw::decref(payload_.as_object);
    }
  }

  IValue(bool value) noexcept : tag_(Tag::Bool) { payload_.as_int = value; }
  IValue(int64_t value) noexcept : tag_(Tag::Int) { payload_.as_int = value; }
  IValue(int value) noexcept : IValue(static_cast<int64_t>(value)) {}
  IValue(double value) noexcept : tag_(Tag::Double) { payload_.as_double = value; }
  IValue(c10::Device device) noexcept;
  IValue(at::Tensor tensor) noexcept;
  IValue(c10::Storage storage) noexcept;
  IValue(at::Generator generator) noexcept;
  IValue(c10::complex<double> value) : IValue(make(Tag::ComplexDouble, value)) {}
  IValue(std::string value) : IValue(make(Tag::String, std::move(value))) {}
  IValue(std::string_view value) : IValue(std::string(value)) {}
  IValue(const char* value) : IValue(std::string(value)) {}
  IValue(const c10::Scalar& scalar);
  IValue(std::vector<int64_t> values) : IValue(make(Tag::IntList, std::move(values))) {}
  IValue(std::vector<double> values) : IValue(make(Tag::DoubleList, std::move(values))) {}
  IValue(std::vector<bool> values) : IValue(make(Tag::BoolList, std::move(values))) {}
  IValue(std::vector<at::Tensor> values) : IValue(make(Tag::TensorList, std::move(values))) {}
  IValue(std::vector<IValue> values) : IValue(make(Tag::GenericList, std::move(values))) {}
  // Any other counted object; its type is known only to the owner.
  explicit IValue(intrusive_ptr<intrusive_ptr_target> object) noexcept;
  static IValue tuple(std::vector<IValue> values) { return make(Tag::Tuple, std::move(values)); }

  Tag tag() const { return tag_; }
  const char* tag_name() const;

  bool isNone() const { return tag_ == Tag::None; }
  bool isBool() const { return tag_ == Tag::Bool; }
  bool isInt() const { return tag_ == Tag::Int; }
  bool isDouble() const { return tag_ == Tag::Double; }
  bool isComplexDouble() const { return tag_ == Tag::ComplexDouble; }
  bool isScalar() const { return isBool() || isInt() || isDouble() || isComplexDouble(); }
  bool isDevice() const { return tag_ == Tag::Device; }
  bool isTensor() const { return tag_ == Tag::Tensor; }
  bool isStorage() const { return tag_ == Tag::Storage; }
  bool isGenerator() const { return tag_ == Tag::Generator; }
  bool isString() const { return tag_ == Tag::String; }
  bool isBoolList() const { return tag_ == Tag::BoolList; }
  bool isIntList() const { return tag_ == Tag::IntList; }
  bool isDoubleList() const { return tag_ == Tag::DoubleList; }
  bool isTensorList() const { return tag_ == Tag::TensorList; }
  bool isGenericList() const { return tag_ == Tag::GenericList; }
  bool isTuple() const { return tag_ == Tag::Tuple; }
  bool isObject() const { return tag_ == Tag::Object; }

  // Each of these throws an error that names both types if the value has another type.
  bool toBool() const { return expect(Tag::Bool), payload_.as_int != 0; }
  int64_t toInt() const;
  double toDouble() const;
  c10::complex<double> toComplexDouble() const {
    return get<c10::complex<double>>(Tag::ComplexDouble);
  }
  c10::Scalar toScalar() const;
  c10::Device toDevice() const;
  at::Tensor toTensor() const;
  c10::Storage toStorage() const;
  at::Generator toGenerator() const;
  const std::string& toStringRef() const { return get<std::string>(Tag::String); }
  const std::vector<bool>& toBoolList() const { return get<std::vector<bool>>(Tag::BoolList); }
  const std::vector<int64_t>& toIntList() const { return get<std::vector<int64_t>>(Tag::IntList); }
  const std::vector<double>& toDoubleList() const {
    return get<std::vector<double>>(Tag::DoubleList);
  }
  const std::vector<at::Tensor>& toTensorList() const {
    return get<std::vector<at::Tensor>>(Tag::TensorList);
  }
  const std::vector<IValue>& toGenericList() const {
    return get<std::vector<IValue>>(Tag::GenericList);
  }
  const std::vector<IValue>& toTupleElements() const {
    return get<std::vector<IValue>>(Tag::Tuple);
  }
  intrusive_ptr<intrusive_ptr_target> toObject() const;

  c10::ScalarType toScalarType() const { return static_cast<c10::ScalarType>(toInt()); }

 private:
  bool is_counted() const { return tag_ >= Tag::Tensor && payload_.as_object != nullptr; }

  IValue(Tag tag, intrusive_ptr_target* owned) noexcept : tag_(tag) { payload_.as_object = owned; }

  template <typename T>
  static IValue make(Tag tag, T value) {
    return IValue(tag, make_intrusive<ivalue::Boxed<T>>(std::move(value)).release());
  }

  void expect(Tag wanted) const {
    if (C10_UNLIKELY(tag_ != wanted)) {
      throw_wrong_tag(wanted);
    }
  }
  [[noreturn]] void throw_wrong_tag(Tag wanted) const;

  template <typename T>
  const T& get(Tag wanted) const {
    expect(wanted);
    return static_cast<const ivalue::Boxed<T>*>(payload_.as_object)->value;
  }

  union Payload {
    int64_t as_int;
    double as_double;
    intrusive_ptr_target* as_object;
  } payload_;
  Tag tag_;
};

} // namespace c10

namespace torch::jit {
using c10::IValue;
}
