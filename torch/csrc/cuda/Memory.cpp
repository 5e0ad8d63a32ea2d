#include <torch/csrc/cuda/Memory.h>

#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CachingHostAllocator.h>
#include <torch/csrc/cuda/Arguments.h>
#include <torch/csrc/cuda/MemoryHistory.h>
#include <torch/csrc/utils/gil.h>

#include <array>
#include <vector>

namespace torch::cuda {

namespace {

namespace Allocator = c10::cuda::CUDACachingAllocator;
namespace HostAllocator = c10::cuda::CachingHostAllocator;

// The share of each device's memory that this process may use, as it was last set.
std::vector<double>& fractions() {
  static std::vector<double> values(static_cast<size_t>(c10::cuda::device_count()), 1.0);
  return values;
}

PyObject* pool_id(const c10::cuda::MempoolId_t& id) {
  return checked(Py_BuildValue(
      "(KK)", static_cast<unsigned long long>(id.first),
      static_cast<unsigned long long>(id.second)));
}

PyObject* stat_dict(const Allocator::Stat& stat) {
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "current", stat.current);
  set_item(dict.get(), "peak", stat.peak);
  set_item(dict.get(), "allocated", stat.allocated);
  set_item(dict.get(), "freed", stat.freed);
  return dict.release();
}

PyObject* stats_dict(const Allocator::StatArray& stats) {
  constexpr std::array names = {"all", "small_pool", "large_pool"};
  static_assert(names.size() == std::tuple_size_v<Allocator::StatArray>);
  THPObjectPtr dict(checked(PyDict_New()));
  for (size_t i = 0; i < names.size(); ++i)
    set_item(dict.get(), names[i], stat_dict(stats[i]));
  return dict.release();
}

PyObject* durations_dict(const HostAllocator::Durations& durations) {
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "total", durations.total);
  set_item(dict.get(), "max", durations.max);
  set_item(dict.get(), "min", durations.min);
  set_item(dict.get(), "count", durations.count);
  set_item(dict.get(), "avg", durations.count == 0 ? 0 : durations.total / durations.count);
  return dict.release();
}

PyObject* memory_stats(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  const Allocator::DeviceStats stats =
      Allocator::getDeviceStats(unpack_existing_device(device, "_cuda_memoryStats"));
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "num_alloc_retries", stats.num_alloc_retries);
  set_item(dict.get(), "num_ooms", stats.num_ooms);
  set_item(dict.get(), "num_device_alloc", stats.num_device_alloc);
  set_item(dict.get(), "num_device_free", stats.num_device_free);
  set_item(dict.get(), "num_sync_all_streams", stats.num_sync_all_streams);
  set_item(dict.get(), "num_oom_rejections", int64_t{0}); // no option here rejects allocations
  set_item(dict.get(), "max_split_size", stats.max_split_size);
  set_item(dict.get(), "oversize_allocations", stat_dict(stats.oversize_allocations));
  set_item(dict.get(), "oversize_segments", stat_dict(stats.oversize_segments));
  THPObjectPtr pools(checked(PyDict_New()));
  for (const auto& [id, reserved] : stats.reserved_bytes_of_private_pools) {
    const THPObjectPtr key(pool_id(id)), value(stats_dict(reserved));
    checked(PyDict_SetItem(pools.get(), key.get(), value.get()));
  }
  set_item(dict.get(), "reserved_bytes_by_private_pools", pools.release());
  set_item(dict.get(), "allocation", stats_dict(stats.allocation));
  set_item(dict.get(), "segment", stats_dict(stats.segment));
  set_item(dict.get(), "active", stats_dict(stats.active));
  set_item(dict.get(), "inactive_split", stats_dict(stats.inactive_split));
  set_item(dict.get(), "allocated_bytes", stats_dict(stats.allocated_bytes));
  set_item(dict.get(), "reserved_bytes", stats_dict(stats.reserved_bytes));
  set_item(dict.get(), "active_bytes", stats_dict(stats.active_bytes));
  set_item(dict.get(), "inactive_split_bytes", stats_dict(stats.inactive_split_bytes));
  set_item(dict.get(), "requested_bytes", stats_dict(stats.requested_bytes));
  return dict.release();
  END_HANDLE_TH_ERRORS
}

PyObject* reset_peak_stats(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  Allocator::resetPeakStats(unpack_existing_device(device, "_cuda_resetPeakMemoryStats"));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* reset_accumulated_stats(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  Allocator::resetAccumulatedStats(
      unpack_existing_device(device, "_cuda_resetAccumulatedMemoryStats"));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* host_memory_stats(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  const HostAllocator::HostStats stats = HostAllocator::getStats();
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "allocations", stat_dict(stats.allocations));
  set_item(dict.get(), "allocated_bytes", stat_dict(stats.allocated_bytes));
  set_item(dict.get(), "active_requests", stat_dict(stats.active_requests));
  set_item(dict.get(), "active_bytes", stat_dict(stats.active_bytes));
  set_item(dict.get(), "num_host_alloc", stats.num_host_alloc);
  set_item(dict.get(), "num_host_free", stats.num_host_free);
  set_item(dict.get(), "host_alloc_time", durations_dict(stats.host_alloc_time));
  set_item(dict.get(), "host_free_time", durations_dict(stats.host_free_time));
  return dict.release();
  END_HANDLE_TH_ERRORS
}

PyObject* reset_peak_host_stats(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  HostAllocator::resetPeakStats();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* reset_accumulated_host_stats(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  HostAllocator::resetAccumulatedStats();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* host_empty_cache(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS
  HostAllocator::emptyCache();
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* block_dict(const Allocator::BlockInfo& block, size_t address) {
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "address", static_cast<int64_t>(address));
  set_item(dict.get(), "size", static_cast<int64_t>(block.size));
  set_item(dict.get(), "requested_size", static_cast<int64_t>(block.requested_size));
  const char* const state = block.allocated ? "active_allocated"
      : block.active                        ? "active_awaiting_free"
                                            : "inactive";
  set_item(dict.get(), "state", PyUnicode_FromString(state));
  set_item(dict.get(), "frames", frames_of(block.context));
  return dict.release();
}

PyObject* segment_dict(const Allocator::SegmentInfo& segment) {
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "device", segment.device);
  set_item(dict.get(), "address", static_cast<int64_t>(segment.address));
  set_item(dict.get(), "total_size", static_cast<int64_t>(segment.total_size));
  set_item(dict.get(), "allocated_size", static_cast<int64_t>(segment.allocated_size));
  set_item(dict.get(), "active_size", static_cast<int64_t>(segment.active_size));
  set_item(dict.get(), "requested_size", static_cast<int64_t>(segment.requested_size));
  set_item(dict.get(), "stream", static_cast<int64_t>(reinterpret_cast<intptr_t>(segment.stream)));
  set_item(dict.get(), "segment_type", PyUnicode_FromString(segment.is_large ? "large" : "small"));
  set_item(dict.get(), "segment_pool_id", pool_id(segment.owner_private_pool_id));
  set_item(dict.get(), "is_expandable", PyBool_FromLong(segment.is_expandable));
  set_item(dict.get(), "frames", frames_of(segment.context));
  THPObjectPtr blocks(checked(PyList_New(0)));
  size_t address = segment.address;
  for (const Allocator::BlockInfo& block : segment.blocks) {
    const THPObjectPtr each(block_dict(block, address));
    checked(PyList_Append(blocks.get(), each.get()));
    address += block.size;
  }
  set_item(dict.get(), "blocks", blocks.release());
  return dict.release();
}

PyObject* trace_dict(const Allocator::TraceEntry& entry) {
  constexpr std::array names = {"alloc",         "free_requested", "free_completed",
                                "segment_alloc", "segment_free",   "segment_map",
                                "segment_unmap", "snapshot",       "oom"};
  static_assert(names.size() == static_cast<size_t>(Allocator::Action::NUM_ACTIONS));
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "action", PyUnicode_FromString(names[static_cast<size_t>(entry.action)]));
  const bool oom = entry.action == Allocator::Action::OOM;
  set_item(dict.get(), oom ? "device_free" : "addr", static_cast<int64_t>(entry.address));
  set_item(dict.get(), "size", static_cast<int64_t>(entry.size));
  set_item(dict.get(), "stream", static_cast<int64_t>(reinterpret_cast<intptr_t>(entry.stream)));
  set_item(dict.get(), "time_us", entry.time_us);
  set_item(dict.get(), "pool_id", pool_id(entry.pool));
  set_item(dict.get(), "user_metadata", PyUnicode_FromString(entry.metadata.c_str()));
  set_item(dict.get(), "frames", frames_of(entry.context));
  return dict.release();
}

PyObject* traces_list() {
  THPObjectPtr devices(checked(PyList_New(0)));
  for (const auto& trace : Allocator::traces()) {
    THPObjectPtr entries(checked(PyList_New(0)));
    for (const Allocator::TraceEntry& entry : trace) {
      const THPObjectPtr each(trace_dict(entry));
      checked(PyList_Append(entries.get(), each.get()));
    }
    checked(PyList_Append(devices.get(), entries.get()));
  }
  return devices.release();
}

PyObject* settings_dict() {
  const Allocator::Config& config = Allocator::config();
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "max_split_size", static_cast<int64_t>(config.max_split_size));
  set_item(
      dict.get(), "garbage_collection_threshold",
      PyFloat_FromDouble(config.garbage_collection_threshold));
  set_item(dict.get(), "expandable_segments", PyBool_FromLong(config.expandable_segments));
  set_item(
      dict.get(), "pinned_use_cuda_host_register", PyBool_FromLong(config.registers_pinned_memory));
  set_item(
      dict.get(), "pinned_num_register_threads",
      static_cast<int64_t>(config.pinned_register_threads));
  return dict.release();
}

PyObject* memory_snapshot(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  unsigned long long first = 0, second = 0;
  int with_traces = 1;
  if (!PyArg_ParseTuple(args, "|(KK)p:_cuda_memorySnapshot", &first, &second, &with_traces))
    return nullptr;
  THPObjectPtr segments(checked(PyList_New(0)));
  for (const Allocator::SegmentInfo& segment : Allocator::snapshot({first, second})) {
    const THPObjectPtr each(segment_dict(segment));
    checked(PyList_Append(segments.get(), each.get()));
  }
  THPObjectPtr dict(checked(PyDict_New()));
  set_item(dict.get(), "segments", segments.release());
  set_item(dict.get(), "device_traces", with_traces ? traces_list() : PyList_New(0));
  set_item(dict.get(), "allocator_settings", settings_dict());
  return dict.release();
  END_HANDLE_TH_ERRORS
}

PyObject* empty_cache(PyObject*, PyObject*) {
  HANDLE_TH_ERRORS {
    const WithoutGil without_gil;
    Allocator::emptyCache();
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* set_memory_fraction(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  double fraction = 0;
  PyObject* device = nullptr;
  if (!PyArg_ParseTuple(args, "dO:_cuda_setMemoryFraction", &fraction, &device)) return nullptr;
  const c10::DeviceIndex index = unpack_existing_device(device, "_cuda_setMemoryFraction");
  Allocator::setMemoryFraction(fraction, index);
  fractions()[static_cast<size_t>(index)] = fraction;
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* get_memory_fraction(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  const c10::DeviceIndex index = unpack_existing_device(device, "_cuda_getMemoryFraction");
  return PyFloat_FromDouble(fractions()[static_cast<size_t>(index)]);
  END_HANDLE_TH_ERRORS
}

PyObject* memory_get_info(PyObject*, PyObject* device) {
  HANDLE_TH_ERRORS
  const c10::cuda::CUDAGuard guard(unpack_existing_device(device, "cudaMemGetInfo"));
  size_t free = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  return Py_BuildValue("(nn)", static_cast<Py_ssize_t>(free), static_cast<Py_ssize_t>(total));
  END_HANDLE_TH_ERRORS
}

PyObject* raw_alloc(PyObject*, PyObject* args) {
  HANDLE_TH_ERRORS
  Py_ssize_t bytes = 0;
  unsigned long long stream = 0;
  if (!PyArg_ParseTuple(args, "nK:_cuda_cudaCachingAllocator_raw_alloc", &bytes, &stream))
    return nullptr;
  TORCH_CHECK(bytes >= 0, "Trying to allocate ", bytes, " bytes");
  void* const memory = Allocator::raw_alloc_with_stream(
      static_cast<size_t>(bytes), reinterpret_cast<cudaStream_t>(stream));
  return PyLong_FromVoidPtr(memory);
  END_HANDLE_TH_ERRORS
}

PyObject* raw_delete(PyObject*, PyObject* address) {
  HANDLE_TH_ERRORS
  void* const memory = PyLong_AsVoidPtr(address);
  if (PyErr_Occurred()) return nullptr;
  {
    const WithoutGil without_gil;
    Allocator::raw_delete(memory);
  }
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

PyObject* allocator_backend(PyObject*, PyObject*) {
  return PyUnicode_FromString(Allocator::get()->name());
}

PyObject* set_allocator_settings(PyObject*, PyObject* text) {
  HANDLE_TH_ERRORS
  const char* const settings = PyUnicode_AsUTF8(text);
  if (!settings) return nullptr;
  Allocator::set_config(Allocator::parse_config(settings));
  Py_RETURN_NONE;
  END_HANDLE_TH_ERRORS
}

} // namespace

PyMethodDef memory_methods[] = {
    {"_cuda_memoryStats", memory_stats, METH_O, nullptr},
    {"_cuda_resetPeakMemoryStats", reset_peak_stats, METH_O, nullptr},
    {"_cuda_resetAccumulatedMemoryStats", reset_accumulated_stats, METH_O, nullptr},
    {"_cuda_hostMemoryStats", host_memory_stats, METH_NOARGS, nullptr},
    {"_cuda_resetPeakHostMemoryStats", reset_peak_host_stats, METH_NOARGS, nullptr},
    {"_cuda_resetAccumulatedHostMemoryStats", reset_accumulated_host_stats, METH_NOARGS, nullptr},
    {"_host_emptyCache", host_empty_cache, METH_NOARGS, nullptr},
    {"_cuda_memorySnapshot", memory_snapshot, METH_VARARGS, nullptr},
    {"_cuda_recordMemoryHistory", record_memory_history, METH_VARARGS, nullptr},
    {"_cuda_setMemoryMetadata", set_memory_metadata, METH_O, nullptr},
    {"_cuda_getMemoryMetadata", get_memory_metadata, METH_NOARGS, nullptr},
    {"_cuda_emptyCache", empty_cache, METH_NOARGS, nullptr},
    {"_cuda_setMemoryFraction", set_memory_fraction, METH_VARARGS, nullptr},
    {"_cuda_getMemoryFraction", get_memory_fraction, METH_O, nullptr},
    {"_cuda_memGetInfo", memory_get_info, METH_O, nullptr},
    {"_cuda_cudaCachingAllocator_raw_alloc", raw_alloc, METH_VARARGS, nullptr},
    {"_cuda_cudaCachingAllocator_raw_delete", raw_delete, METH_O, nullptr},
    {"_cuda_getAllocatorBackend", allocator_backend, METH_NOARGS, nullptr},
    {"_cuda_setAllocatorSettings", set_allocator_settings, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

} // namespace torch::cuda
