#include <ATen/core/ivalue.h>

namespace c10 {

namespace {

const char* name_of(IValue::Tag tag) {
  static constexpr const char* names[] = {
      "None", "bool",   "int",   "float",   "Device",   "Tensor", "Storage", "Generator", "complex",
      "str",  "bool[]", "int[]", "float[]", "Tensor[]", "list",   "tuple",   "object"};
  return names[static_cast<size_t>(tag)];
}

} // namespace

const char* IValue::tag_name() const {
  return name_of(tag_);
}

void IValue::throw_wrong_tag(Tag wanted) const {
  TORCH_CHECK(false, "Expected a value of type ", name_of(wanted), " but got ", tag_name());
  C10_UNREACHABLE();
}

IValue::IValue(c10::Device device) noexcept : tag_(Tag::Device) {
  payload_.as_int =
      (static_cast<int64_t>(device.type()) << 8) | static_cast<uint8_t>(device.index());
}

IValue::IValue(at::Tensor tensor) noexcept : tag_(Tag::Tensor) {
  payload_.as_object = tensor.defined() ? tensor.unsafeReleaseTensorImpl() : nullptr;
}

IValue::IValue(c10::Storage storage) noexcept : tag_(Tag::Storage) {
  payload_.as_object = storage.unsafeReleaseStorageImpl();
}

IValue::IValue(at::Generator generator) noexcept : tag_(Tag::Generator) {
  payload_.as_object = generator.unsafeReleaseGeneratorImpl();
}

IValue::IValue(intrusive_ptr<intrusive_ptr_target> object) noexcept
    : IValue(Tag::Object, object.release()) {}

IValue::IValue(const c10::Scalar& scalar) : IValue() {
  if (scalar.isBoolean()) {
    *this = IValue(scalar.toBool());
  } else if (scalar.isIntegral(/*includeBool=*/false)) {
    *this = IValue(scalar.toLong());
  } else if (scalar.isComplex()) {
    *this = IValue(scalar.toComplexDouble());
  } else {
    *this = IValue(scalar.toDouble());
  }
}

int64_t IValue::toInt() const {
  return tag_ == Tag::Bool ? payload_.as_int : (expect(Tag::Int), payload_.as_int);
}

double IValue::toDouble() const {
  if (tag_ == Tag::Int || tag_ == Tag::Bool) {
    return static_cast<double>(payload_.as_int);
  }
  expect(Tag::Double);
  return payload_.as_double;
}

c10::Scalar IValue::toScalar() const {
  switch (tag_) {
    case Tag::Bool:
      return payload_.as_int != 0;
    case Tag::Int:
      return payload_.as_int;
    case Tag::ComplexDouble:
      return toComplexDouble();
    default:
      expect(Tag::Double);
      return payload_.as_double;
  }
}

c10::Device IValue::toDevice() const {
  expect(Tag::Device);
  return {
      static_cast<DeviceType>(payload_.as_int >> 8),
      static_cast<DeviceIndex>(static_cast<int8_t>(payload_.as_int & 0xff))};
}

at::Tensor IValue::toTensor() const {
  if (tag_ == Tag::None) {
    return {};
  }
  expect(Tag::Tensor);
  if (payload_.as_object == nullptr) {
    return {};
  }
  raw::incref(payload_.as_object);
  return at::Tensor(intrusive_ptr<TensorImpl, UndefinedTensorImpl>::reclaim(
      static_cast<TensorImpl*>(payload_.as_object)));
}

c10::Storage IValue::toStorage() const {
  expect(Tag::Storage);
  raw::incref(payload_.as_object);
  return Storage(
      intrusive_ptr<StorageImpl>::reclaim(static_cast<StorageImpl*>(payload_.as_object)));
}

at::Generator IValue::toGenerator() const {
  expect(Tag::Generator);
  raw::incref(payload_.as_object);
  return at::Generator(
      intrusive_ptr<GeneratorImpl>::reclaim(static_cast<GeneratorImpl*>(payload_.as_object)));
}

intrusive_ptr<intrusive_ptr_target> IValue::toObject() const {
  expect(Tag::Object);
  raw::incref(payload_.as_object);
  return intrusive_ptr<intrusive_ptr_target>::reclaim(payload_.as_object);
}

} // namespace c10
