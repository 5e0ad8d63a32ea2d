#include <c10/core/CPUAllocator.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/MemoryPressure.h>
#include <c10/util/MaybeOwned.h>
#include <c10/util/SmallVector.h>
#include <c10/util/intrusive_ptr.h>

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace c10 {
namespace {

struct Counted : intrusive_ptr_target {
  explicit Counted(int* alive) : alive_(alive) { ++*alive_; }
  ~Counted() override { --*alive_; }
  void release_resources() override { released = true; }
  int* alive_;
  bool released = false;
};

TEST(IntrusivePtr, CountsAndDestroys) {
  int alive = 0;
  {
    auto a = make_intrusive<Counted>(&alive);
    auto b = a;
    EXPECT_EQ(a.use_count(), 2u);
    auto c = std::move(b);
    EXPECT_FALSE(b.defined()); // NOLINT(bugprone-use-after-move): what a move leaves is tested
    EXPECT_EQ(c.use_count(), 2u);
    Counted* raw_pointer = c.release();
    EXPECT_EQ(a.use_count(), 2u);
    auto d = intrusive_ptr<Counted>::reclaim(raw_pointer);
    intrusive_ptr<intrusive_ptr_target> base = d;
    EXPECT_EQ(a.use_count(), 3u);
  }
  EXPECT_EQ(alive, 0);
}

TEST(IntrusivePtr, WeakReferencesOutliveResourcesNotTheObject) {
  int alive = 0;
  auto strong = make_intrusive<Counted>(&alive);
  weak_intrusive_ptr<Counted> weak(strong);
  EXPECT_TRUE(weak.lock().defined());
  strong.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_FALSE(weak.lock().defined());
  EXPECT_TRUE(weak._unsafe_get_target()->released);
  EXPECT_EQ(alive, 1);
  weak.reset();
  EXPECT_EQ(alive, 0);
}

TEST(IntrusivePtr, CountsSurviveManyThreads) {
  int alive = 0;
  {
    auto shared = make_intrusive<Counted>(&alive);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([shared] {
        for (int n = 0; n < 10000; ++n) {
          auto copy = shared;
          weak_intrusive_ptr<Counted> weak(copy);
          ASSERT_TRUE(weak.lock().defined());
        }
      });
    }
    for (auto& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(shared.use_count(), 1u);
  }
  EXPECT_EQ(alive, 0);
}

TEST(SmallVector, GrowsMovesAndErases) {
  SmallVector<std::string, 2> v = {"a", "b"};
  v.push_back(v[0]);
  v.emplace_back("d");
  SmallVector<std::string, 2> moved = std::move(v);
  EXPECT_TRUE(v.empty()); // NOLINT(bugprone-use-after-move): what a move leaves is tested
  EXPECT_EQ(moved.size(), 4u);
  moved.erase(moved.begin() + 1);
  moved.insert(moved.begin(), "first");
  EXPECT_EQ(moved[0], "first");
  EXPECT_EQ(moved.back(), "d");
  SmallVector<std::string, 2> small = {"x"};
  small = std::move(moved);
  EXPECT_EQ(small.size(), 4u);
  small = SmallVector<std::string, 2>{"y"};
  EXPECT_EQ(small.size(), 1u);
  SmallVector<std::string, 2> copy(small);
  EXPECT_EQ(copy, small);
}

TEST(CPUAllocator, BlocksAreAlignedAndReused) {
  Allocator* allocator = GetCPUAllocator();
  for (size_t bytes : {1u, 300u, 513u, 4096u, 100000u, 1u << 20, 5u << 20}) {
    void* first = nullptr;
    {
      DataPtr data = allocator->allocate(bytes);
      first = data.get();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0u);
      std::memset(first, 1, bytes);
    }
    if (CPUCachingAllocator::cacheLimit() != 0) {
      EXPECT_EQ(allocator->allocate(bytes).get(), first) << bytes;
    }
  }
  EXPECT_EQ(allocator->allocate(0).get(), nullptr);
}

TEST(CPUAllocator, TheCacheIsBoundedAndCanBeEmptied) {
  const size_t limit = CPUCachingAllocator::cacheLimit();
  CPUCachingAllocator::setCacheLimit(size_t{8} << 20);
  {
    std::vector<DataPtr> held;
    held.reserve(8);
    for (int i = 0; i < 8; ++i) {
      held.push_back(GetCPUAllocator()->allocate(size_t{4} << 20));
    }
  }
  EXPECT_LE(CPUCachingAllocator::cachedBytes(), size_t{16} << 20);
  CPUCachingAllocator::emptyCache();
  EXPECT_EQ(CPUCachingAllocator::cachedBytes(), 0u);
  CPUCachingAllocator::setCacheLimit(limit);
}

TEST(CPUAllocator, AFullCacheFreesTheBlocksThatNobodyTookForTheLongestTime) {
  if (C10_SANITIZER_ENABLED) {
    GTEST_SKIP() << "sanitizer builds recycle nothing";
  }
  const size_t limit = CPUCachingAllocator::cacheLimit();
  CPUCachingAllocator::emptyCache();
  CPUCachingAllocator::setCacheLimit(size_t{8} << 20);
  const auto allocate = [](size_t mib) { return GetCPUAllocator()->allocate(mib << 20); };
  DataPtr first = allocate(4), second = allocate(3);
  const void *of_first = first.get(), *of_second = second.get();
  first.clear();
  second.clear();
  allocate(4).clear(); // the first block, now used later than the second
  allocate(2).clear(); // takes the room of the second
  EXPECT_EQ(allocate(4).get(), of_first);
  EXPECT_LE(CPUCachingAllocator::cachedBytes(), size_t{8} << 20);
  DataPtr other = allocate(2);
  EXPECT_NE(other.get(), of_second);
  allocate(16).clear(); // larger than the cache: frees nothing else
  EXPECT_EQ(allocate(4).get(), of_first);
  other.clear();
  CPUCachingAllocator::emptyCache();
  CPUCachingAllocator::setCacheLimit(limit);
}

TEST(CPUAllocator, SmallBlocksBeyondTheCacheOfTheThreadAreShared) {
  if (C10_SANITIZER_ENABLED) {
    GTEST_SKIP() << "sanitizer builds recycle nothing";
  }
  constexpr size_t kBytes = size_t{256} << 10, kCount = 100; // three times what a thread keeps
  CPUCachingAllocator::emptyCache();
  const auto allocate_all = [] {
    std::vector<DataPtr> held;
    held.reserve(kCount);
    for (size_t i = 0; i < kCount; ++i) {
      held.push_back(GetCPUAllocator()->allocate(kBytes));
    }
    return held;
  };
  allocate_all().clear();
  EXPECT_EQ(CPUCachingAllocator::cachedBytes(), kCount * kBytes);
  const auto held = allocate_all();
  EXPECT_EQ(CPUCachingAllocator::cachedBytes(), 0u);
}

#if defined(__SANITIZE_ADDRESS__)
TEST(CPUAllocator, TheAddressSanitizerSeesTheEndOfABlock) {
  for (size_t bytes : {1u, 68u, 300u, 4100u, (1u << 20) + 4}) {
    DataPtr data = GetCPUAllocator()->allocate(bytes);
    const char* end = static_cast<const char*>(data.get()) + bytes;
    EXPECT_FALSE(__asan_address_is_poisoned(end - 1)) << bytes;
    EXPECT_TRUE(__asan_address_is_poisoned(end)) << bytes;
  }
}
#endif

TEST(CPUAllocator, BlocksMadeWithoutTheCacheNeverEnterIt) {
  const size_t limit = CPUCachingAllocator::cacheLimit();
  CPUCachingAllocator::setCacheLimit(0);
  DataPtr exact = GetCPUAllocator()->allocate((size_t{1} << 20) + 1);
  CPUCachingAllocator::setCacheLimit(limit);
  CPUCachingAllocator::emptyCache();
  exact.clear();
  EXPECT_EQ(CPUCachingAllocator::cachedBytes(), 0u);
}

TEST(MemoryPressure, ReadsTheMachinesAndTheGroupsLimits) {
  const std::string folder = ::testing::TempDir();
  const impl::MemorySources sources{folder + "meminfo", folder};
  auto write = [&](const char* name, const char* text) { std::ofstream(folder + name) << text; };
  write("meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  500 kB\n");
  write("memory.max", "max\n");
  write("memory.stat", "anon 950\nfile 10\n");
  EXPECT_FALSE(impl::memory_is_short(sources));
  write("memory.max", "1000\n");
  EXPECT_TRUE(impl::memory_is_short(sources));
  write("memory.stat", "anon 100\nfile 900\n");
  EXPECT_FALSE(impl::memory_is_short(sources));
  write("meminfo", "MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  99 kB\n");
  EXPECT_TRUE(impl::memory_is_short(sources));
  EXPECT_FALSE(impl::memory_is_short({folder + "absent", folder + "absent"}));
}

TEST(CPUAllocator, ImpossibleRequestsThrow) {
  EXPECT_THROW(GetCPUAllocator()->allocate(size_t{1} << 60), Error);
}

TEST(CPUAllocator, BlocksFreedByOtherThreadsAndEndedThreadsAreSafe) {
  std::vector<DataPtr> made;
  std::thread maker([&] {
    for (int i = 0; i < 1000; ++i) {
      made.push_back(GetCPUAllocator()->allocate(600));
    }
  });
  maker.join();
  made.clear();
  auto tensor = std::make_shared<intrusive_ptr<TensorImpl>>();
  std::thread([&] { *tensor = make_cpu_tensor_impl({3}, kFloat); }).join();
  EXPECT_EQ((*tensor)->numel(), 3);
  std::thread([tensor] { tensor->reset(); }).join();
}

TEST(StorageImpl, InlineDataOutlivesTheStorageWhenTaken) {
  auto storage = StorageImpl::make_cpu(16);
  std::memset(storage->mutable_data(), 7, 16);
  DataPtr taken = storage->set_data_ptr(GetCPUAllocator()->allocate(1024));
  storage.reset();
  EXPECT_EQ(static_cast<char*>(taken.get())[15], 7);
}

TEST(StorageImpl, SmallDataIsInline) {
  EXPECT_EQ(StorageImpl::make_cpu(0)->data(), nullptr);
  for (size_t bytes = 1; bytes <= StorageImpl::kInlineBytes; ++bytes) {
    auto storage = StorageImpl::make_cpu(bytes);
    EXPECT_EQ(storage->is_inline(), !C10_SANITIZER_ENABLED) << bytes;
    std::memset(storage->mutable_data(), 1, bytes);
  }
  EXPECT_FALSE(StorageImpl::make_cpu(StorageImpl::kInlineBytes + 1)->is_inline());
}

TEST(StorageImpl, DataOfMoreThanFortyBytesBeginsAtACacheLine) {
  for (size_t bytes : {41u, 64u, 65u, 96u, 97u, 256u, 257u, 1024u, 1025u}) {
    auto storage = StorageImpl::make_cpu(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0u) << bytes;
  }
}

TEST(StorageImpl, BlocksOfEachSizeReturnToTheirFreeList) {
  if (C10_SANITIZER_ENABLED) {
    GTEST_SKIP() << "sanitizer builds recycle nothing";
  }
  for (size_t bytes : {8u, 64u, 100u, 256u}) {
    const void* first = StorageImpl::make_cpu(bytes)->data();
    const auto other = StorageImpl::make_cpu(bytes == 8 ? 64 : 8);
    EXPECT_EQ(StorageImpl::make_cpu(bytes)->data(), first) << bytes;
  }
}

TEST(PyObjectSlot, KeepsTheObjectAndWhetherItOwnsIt) {
  alignas(16) char object[16];
  auto* pyobj = reinterpret_cast<PyObject*>(object);
  impl::PyObjectSlot slot;
  EXPECT_EQ(slot.pyobj(), nullptr);
  slot.set_pyobj(pyobj, /*owns=*/true);
  EXPECT_EQ(slot.pyobj(), pyobj);
  EXPECT_TRUE(slot.owns_pyobj());
  slot.set_owns_pyobj(false);
  EXPECT_EQ(slot.pyobj(), pyobj);
  EXPECT_FALSE(slot.owns_pyobj());
  slot.clear();
  EXPECT_EQ(slot.pyobj(), nullptr);
}

} // namespace
} // namespace c10
