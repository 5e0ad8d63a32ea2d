#include <c10/core/Backend.h>
#include <c10/core/CopyBytes.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/Scalar.h>
#include <c10/core/ScalarType.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/UndefinedTensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/SizesAndStrides.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace c10 {
namespace {

// Counts what a guard asks of a device type.
struct FakeGuardImpl final : c10::impl::NoOpDeviceGuardImpl<DeviceType::XPU> {
  Device exchangeDevice(Device device) const override {
    const Device old(kXPU, current);
    current = device.index();
    return old;
  }
  Device getDevice() const override { return Device(kXPU, current); }
  void setDevice(Device device) const override { current = device.index(); }
  void uncheckedSetDevice(Device device) const noexcept override { current = device.index(); }
  mutable DeviceIndex current = 0;
};

TEST(DeviceGuard, MakesADeviceCurrentForAScope) {
  FakeGuardImpl impl;
  {
    DeviceGuard guard(Device(kXPU, 2), &impl);
    EXPECT_EQ(impl.current, 2);
    EXPECT_EQ(guard.original_device(), Device(kXPU, 0));
    DeviceGuard inner(Device(kXPU), &impl);
    EXPECT_EQ(impl.current, 2);
  }
  EXPECT_EQ(impl.current, 0);
}

TEST(DeviceGuard, ADeviceTypeWithoutABackEndIsAnError) {
  EXPECT_THROW(DeviceGuard(Device(kFPGA, 0)), Error);
  EXPECT_EQ(DeviceGuard(Device(kCPU)).original_device().type(), kCPU);
}

TEST(CopyBytes, IsAnErrorBetweenTypesThatRegisteredNoFunction) {
  const char source[] = "bytes";
  char target[sizeof(source)] = {};
  CopyBytes(sizeof(source), source, kCPU, target, kCPU, false);
  EXPECT_STREQ(target, source);
  EXPECT_FALSE(hasCopyBytesFunction(kCPU, kFPGA));
  EXPECT_THROW(CopyBytes(1, source, kCPU, target, kFPGA, false), NotImplementedError);
}

TEST(DispatchKeySet, HighestKeyIsTheLargestEnumerator) {
  EXPECT_EQ(DispatchKeySet().highestPriorityTypeId(), DispatchKey::Undefined);
  const DispatchKeySet keys(
      {DispatchKey::CPU, DispatchKey::AutogradCPU, DispatchKey::ADInplaceOrView});
  EXPECT_EQ(keys.highestPriorityTypeId(), DispatchKey::AutogradCPU);
  EXPECT_EQ((keys & after_autograd_keyset).highestPriorityTypeId(), DispatchKey::ADInplaceOrView);
  EXPECT_EQ((keys & after_ADInplaceOrView_keyset).highestPriorityTypeId(), DispatchKey::CPU);
  EXPECT_EQ(toString(keys), "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU)");
}

TEST(DispatchKeySet, IsTheProductOfFunctionalitiesAndBackEnds) {
  const DispatchKeySet keys({DispatchKey::SparseCPU, DispatchKey::AutogradMeta});
  EXPECT_TRUE(keys.has(DispatchKey::SparseMeta));
  EXPECT_TRUE(keys.has(DispatchKey::Sparse));
  EXPECT_FALSE(keys.has(DispatchKey::Meta));
  EXPECT_FALSE(keys.has(DispatchKey::SparseCUDA));
  EXPECT_EQ(keys.highestPriorityTypeId(), DispatchKey::AutogradMeta);
  EXPECT_EQ(keys.highestBackendKey(), BackendComponent::MetaBit);
  EXPECT_EQ(keys.remove(DispatchKey::AutogradCPU).highestPriorityTypeId(), DispatchKey::SparseMeta);
  EXPECT_EQ(
      DispatchKeySet({DispatchKey::CPU, DispatchKey::PrivateUse1}).highestPriorityTypeId(),
      DispatchKey::PrivateUse1);
  EXPECT_FALSE(keys.has_any(DispatchKeySet(DispatchKey::SparseCUDA)));
  EXPECT_TRUE(keys.has_any(autograd_dispatch_keyset));
  EXPECT_EQ(
      keys - autograd_dispatch_keyset,
      DispatchKeySet({DispatchKey::SparseCPU, DispatchKey::SparseMeta}));
}

TEST(DispatchKeySet, EveryRuntimeKeyIsItsOwnPlaceInATable) {
  for (uint16_t i = 1; i < num_runtime_entries; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (isRuntimeDispatchKey(key)) {
      EXPECT_EQ(DispatchKeySet(key).getDispatchTableIndex(), i) << key;
      EXPECT_EQ(DispatchKeySet(key).highestPriorityTypeId(), key);
    }
  }
  EXPECT_EQ(DispatchKeySet().getDispatchTableIndex(), 0);
}

TEST(DispatchKeySet, EveryBackEndHasItsKeys) {
  for (uint8_t i = 1; i <= num_backends; ++i) {
    const auto backend = static_cast<BackendComponent>(i);
    const DispatchKey dense = toRuntimePerBackendFunctionalityKey(DispatchKey::Dense, backend);
    EXPECT_EQ(
        toString(getAutogradKeyFromBackend(backend)), std::string("Autograd") + toString(dense));
    EXPECT_EQ(backendToDispatchKey(dispatchKeyToBackend(dense)), dense);
    EXPECT_TRUE(runtimeDispatchKeySetHas(DispatchKey::CompositeImplicitAutograd, dense));
    EXPECT_TRUE(
        runtimeDispatchKeySetHas(DispatchKey::Autograd, getAutogradKeyFromBackend(backend)));
  }
}

TEST(DispatchKeySet, NamesRoundTrip) {
  for (uint16_t i = 0; i <= static_cast<uint16_t>(DispatchKey::EndOfAliasKeys); ++i) {
    const auto key = static_cast<DispatchKey>(i);
    if (key == DispatchKey::Undefined || isAliasDispatchKey(key) || isRuntimeDispatchKey(key)) {
      EXPECT_EQ(parseDispatchKey(toString(key)), key);
    }
  }
  EXPECT_THROW(parseDispatchKey("Nowhere"), Error);
}

TEST(LocalDispatchKeySet, GuardsNestAndRestore) {
  using namespace impl;
  EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::AutocastCPU));
  {
    ExcludeDispatchKeyGuard outer(DispatchKey::AutogradCPU);
    { ExcludeDispatchKeyGuard inner(DispatchKey::AutogradCPU); }
    EXPECT_TRUE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
    IncludeDispatchKeyGuard include(DispatchKey::Tracer);
    EXPECT_TRUE(tls_is_dispatch_key_included(DispatchKey::Tracer));
  }
  EXPECT_FALSE(tls_is_dispatch_key_excluded(DispatchKey::AutogradCPU));
  EXPECT_FALSE(tls_is_dispatch_key_included(DispatchKey::Tracer));
}

TEST(ScalarType, PromotionIsCommutativeIdempotentAndHasTheKnownCorners) {
  for (int i = 0; i < static_cast<int>(ScalarType::NumOptions); ++i) {
    for (int j = 0; j < static_cast<int>(ScalarType::NumOptions); ++j) {
      const auto a = static_cast<ScalarType>(i), b = static_cast<ScalarType>(j);
      if (elementSize(a) == 0 || elementSize(b) == 0 || isStorageType(a) || isStorageType(b)) {
        continue;
      }
      EXPECT_EQ(promoteTypes(a, b), promoteTypes(b, a));
    }
    EXPECT_EQ(
        promoteTypes(static_cast<ScalarType>(i), static_cast<ScalarType>(i)),
        static_cast<ScalarType>(i));
  }
  EXPECT_EQ(promoteTypes(kByte, kChar), kShort);
  EXPECT_EQ(promoteTypes(kBool, kByte), kByte);
  EXPECT_EQ(promoteTypes(kHalf, kBFloat16), kFloat);
  EXPECT_EQ(promoteTypes(kComplexHalf, kBFloat16), kComplexFloat);
  EXPECT_EQ(promoteTypes(kComplexFloat, kDouble), kComplexDouble);
  EXPECT_EQ(promoteTypes(kUInt16, kHalf), kHalf);
  EXPECT_THROW(promoteTypes(kUInt16, kInt), Error);
  EXPECT_THROW(promoteTypes(kUInt16, kComplexFloat), Error);
  EXPECT_EQ(promoteTypes(kFloat8_e5m2, kFloat8_e5m2), kFloat8_e5m2);
  EXPECT_THROW(promoteTypes(kFloat8_e5m2, kFloat), Error);
  EXPECT_THROW(promoteTypes(kBits8, kFloat), Error);
}

TEST(ScalarType, CastRules) {
  EXPECT_TRUE(canCast(kInt, kFloat));
  EXPECT_FALSE(canCast(kFloat, kInt));
  EXPECT_FALSE(canCast(kComplexFloat, kFloat));
  EXPECT_FALSE(canCast(kLong, kBool));
  EXPECT_TRUE(canCast(kBool, kLong));
}

TEST(Scalar, ConvertsWithRangeChecks) {
  EXPECT_EQ(Scalar(3).toInt(), 3);
  EXPECT_EQ(Scalar(-1).toByte(), 255);
  EXPECT_THROW(Scalar(-256).toByte(), Error);
  EXPECT_THROW(Scalar(300).toChar(), Error);
  EXPECT_EQ(Scalar(127.9).toChar(), 127);
  EXPECT_THROW(Scalar(128.0).toChar(), Error);
  EXPECT_THROW(Scalar(std::nan("")).toLong(), Error);
  EXPECT_THROW(Scalar(9.3e18).toLong(), Error);
  EXPECT_EQ(Scalar(-9223372036854775808.0).toLong(), std::numeric_limits<int64_t>::min());
  EXPECT_THROW(Scalar(1e300).toFloat(), Error);
  EXPECT_TRUE(std::isinf(Scalar(std::numeric_limits<double>::infinity()).toFloat()));
  EXPECT_THROW(Scalar(1e6).toHalf(), Error);
  EXPECT_EQ(Scalar(complex<double>(2, 0)).toDouble(), 2);
  EXPECT_THROW(Scalar(complex<double>(2, 1)).toDouble(), Error);
  EXPECT_EQ(Scalar(2.5).toComplexFloat(), complex<float>(2.5f, 0));
  EXPECT_EQ(Scalar(std::numeric_limits<uint64_t>::max()).type(), kUInt64);
  EXPECT_EQ(Scalar(true).type(), kBool);
  EXPECT_EQ((-Scalar(2)).toLong(), -2);
}

TEST(Scalar, EqualityComparesValues) {
  EXPECT_TRUE(Scalar(2).equal(2));
  EXPECT_TRUE(Scalar(2.0).equal(2));
  EXPECT_FALSE(Scalar(2.5).equal(2));
  EXPECT_TRUE(Scalar(true).equal(true));
  EXPECT_FALSE(Scalar(1).equal(true));
}

TEST(SizesAndStrides, MovesBetweenInlineAndHeap) {
  impl::SizesAndStrides s;
  EXPECT_EQ(s.size(), 1u);
  const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 7};
  s.set_sizes({sizes, 3});
  s.set_strides({sizes, 3});
  s.resize(7);
  EXPECT_EQ(s.sizes_arrayref(), IntArrayRef({1, 2, 3, 0, 0, 0, 0}));
  EXPECT_EQ(s.strides_arrayref(), IntArrayRef({1, 2, 3, 0, 0, 0, 0}));
  s.set_sizes({sizes, 7});
  impl::SizesAndStrides copy(s);
  EXPECT_EQ(copy.sizes_arrayref(), IntArrayRef(sizes, 7));
  s.resize(6);
  EXPECT_EQ(s.sizes_arrayref(), IntArrayRef(sizes, 6));
  s.resize(2);
  EXPECT_EQ(s.sizes_arrayref(), IntArrayRef(sizes, 2));
  copy = s;
  EXPECT_EQ(copy.strides_arrayref(), IntArrayRef({1, 2}));
}

TEST(TensorImpl, ContiguityFlagsFollowTheStrides) {
  auto t = make_cpu_tensor_impl({2, 3, 4, 5}, kFloat);
  EXPECT_TRUE(t->is_contiguous());
  EXPECT_FALSE(t->is_contiguous(MemoryFormat::ChannelsLast));
  t->empty_tensor_restride(MemoryFormat::ChannelsLast);
  EXPECT_EQ(t->strides(), IntArrayRef({60, 1, 15, 3}));
  EXPECT_FALSE(t->is_contiguous());
  EXPECT_TRUE(t->is_contiguous(MemoryFormat::ChannelsLast));
  EXPECT_TRUE(t->is_strides_like_channels_last());
  EXPECT_TRUE(t->is_non_overlapping_and_dense());
  t->set_sizes_and_strides({3, 2}, {1, 3});
  EXPECT_FALSE(t->is_contiguous());
  EXPECT_TRUE(t->is_non_overlapping_and_dense());
  t->set_sizes_and_strides({3, 2}, {1, 1});
  EXPECT_FALSE(t->is_non_overlapping_and_dense());
  t->set_sizes_and_strides({0, 2}, {7, 9});
  EXPECT_TRUE(t->is_contiguous());
}

TEST(TensorImpl, SizesAreChecked) {
  EXPECT_THROW(make_cpu_tensor_impl({-1}, kFloat), Error);
  EXPECT_THROW(make_cpu_tensor_impl({int64_t{1} << 62, 8}, kFloat), Error);
  EXPECT_EQ(make_cpu_tensor_impl({int64_t{1} << 40, 0, int64_t{1} << 40}, kFloat)->numel(), 0);
}

TEST(TensorImpl, ViewsShareStorageAndVersions) {
  auto t = make_cpu_tensor_impl({4}, kInt);
  auto v = make_view_impl(*t, {2}, {2}, 1);
  EXPECT_EQ(v->mutable_data(), static_cast<int*>(t->mutable_data()) + 1);
  t->bump_version();
  EXPECT_TRUE(t->unique_version());
  v->set_version_counter(t->version_counter());
  EXPECT_FALSE(t->unique_version());
  t->bump_version();
  EXPECT_EQ(v->current_version(), 2u);
  auto detached = t->shallow_copy_and_detach(VariableVersion(0u), false);
  EXPECT_EQ(detached->current_version(), 0u);
  EXPECT_THROW(detached->set_sizes_contiguous({1}), Error);
}

TEST(TensorImpl, InferenceTensorsCarryNoAutogradKeys) {
  InferenceMode guard;
  auto t = make_cpu_tensor_impl({1}, kFloat);
  EXPECT_TRUE(t->is_inference());
  EXPECT_EQ(t->key_set(), DispatchKeySet(DispatchKey::CPU));
  EXPECT_THROW(t->current_version(), Error);
  EXPECT_NO_THROW(t->bump_version());
  InferenceMode normal(false);
  EXPECT_THROW(t->bump_version(), Error);
}

TEST(TensorImpl, OnlyTensorsOfAGraphHaveAutogradKeys) {
  auto t = make_cpu_tensor_impl({2}, kFloat);
  EXPECT_EQ(t->key_set(), DispatchKeySet({DispatchKey::CPU, DispatchKey::ADInplaceOrView}));
  t->set_key_set(t->key_set().add(DispatchKey::AutogradCPU));
  EXPECT_FALSE(make_view_impl(*t, {2}, {1}, 0)->key_set().has(DispatchKey::AutogradCPU));
  auto copy = t->shallow_copy_and_detach(VariableVersion(0u), true);
  EXPECT_FALSE(copy->key_set().has(DispatchKey::AutogradCPU));
  t->shallow_copy_from(copy);
  EXPECT_TRUE(t->key_set().has(DispatchKey::AutogradCPU));
}

} // namespace
} // namespace c10
