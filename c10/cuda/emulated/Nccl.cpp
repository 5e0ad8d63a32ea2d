// The part of NCCL that this project calls, for the emulated devices of one process. When all ranks
// of a communicator have made a call, one kernel on the first rank's device computes the results of
// all of them, through peer access; events order it with the streams of the others.

#include <c10/cuda/CUDALaunch.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <nccl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <vector>

namespace {

struct Clique {
  std::vector<int> devices; // by rank
};

} // namespace

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank;
};

namespace {

constexpr int kMaxRanks = 16;

enum class Kind { AllReduce, Reduce, Broadcast, AllGather, ReduceScatter };

// What all ranks' calls have in common, as a kernel's argument.
struct Collective {
  Kind kind;
  int ranks;
  int64_t count; // as in the call: for AllGather, of what a rank sends; else of what it receives
  ncclRedOp_t op;
  int root;
  const void* send[kMaxRanks];
  void* receive[kMaxRanks];

  bool same_call(const Collective& other) const {
    return kind == other.kind && count == other.count && op == other.op && root == other.root;
  }
};

struct Call {
  ncclComm_t comm;
  cudaStream_t stream;
  ncclDataType_t type;
  Collective common; // with this rank's pointers in the first place
};

thread_local int group_depth = 0;
thread_local std::vector<Call> group;

template <typename T>
using Wide =
    std::conditional_t<std::is_same_v<T, c10::Half> || std::is_same_v<T, c10::BFloat16>, float, T>;

template <typename T>
T combine(const Collective& c, int64_t i) {
  auto result = static_cast<Wide<T>>(static_cast<const T*>(c.send[0])[i]);
  for (int rank = 1; rank < c.ranks; ++rank) {
    const auto value = static_cast<Wide<T>>(static_cast<const T*>(c.send[rank])[i]);
    switch (c.op) {
      case ncclSum:
      case ncclAvg:
        result += value;
        break;
      case ncclProd:
        result *= value;
        break;
      case ncclMax:
        result = std::max(result, value);
        break;
      case ncclMin:
        result = std::min(result, value);
        break;
    }
  }
  return static_cast<T>(c.op == ncclAvg ? result / static_cast<Wide<T>>(c.ranks) : result);
}

// A thread for each element of a sent tensor, which reads all that it needs before it writes, so
// results may take the place of what was sent.
template <typename T>
__global__ void collective(Collective c) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto receive = [&c](int rank) { return static_cast<T*>(c.receive[rank]); };
  switch (c.kind) {
    case Kind::ReduceScatter:
      if (i < c.count * c.ranks)
        receive(static_cast<int>(i / c.count))[i % c.count] = combine<T>(c, i);
      return;
    case Kind::AllGather: {
      if (i >= c.count * c.ranks) return;
      const T value = static_cast<const T*>(c.send[i / c.count])[i % c.count];
      for (int rank = 0; rank < c.ranks; ++rank)
        receive(rank)[i] = value;
      return;
    }
    case Kind::Reduce:
      if (i < c.count) receive(c.root)[i] = combine<T>(c, i);
      return;
    case Kind::AllReduce:
    case Kind::Broadcast: {
      if (i >= c.count) return;
      const T value =
          c.kind == Kind::Broadcast ? static_cast<const T*>(c.send[c.root])[i] : combine<T>(c, i);
      for (int rank = 0; rank < c.ranks; ++rank)
        receive(rank)[i] = value;
      return;
    }
  }
}

template <typename T>
cudaError_t launch_as(const Collective& c, cudaStream_t stream) {
  constexpr int64_t kBlock = 64;
  const bool whole = c.kind == Kind::ReduceScatter || c.kind == Kind::AllGather;
  const int64_t elements = whole ? c.count * c.ranks : c.count;
  if (elements == 0) return cudaSuccess;
  return at::cuda::launch(
      collective<T>, static_cast<unsigned>((elements + kBlock - 1) / kBlock), kBlock, 0, stream, c);
}

cudaError_t launch(const Collective& c, ncclDataType_t type, cudaStream_t stream) {
  switch (type) {
    case ncclInt8:
      return launch_as<int8_t>(c, stream);
    case ncclUint8:
      return launch_as<uint8_t>(c, stream);
    case ncclInt32:
      return launch_as<int32_t>(c, stream);
    case ncclUint32:
      return launch_as<uint32_t>(c, stream);
    case ncclInt64:
      return launch_as<int64_t>(c, stream);
    case ncclUint64:
      return launch_as<uint64_t>(c, stream);
    case ncclFloat16:
      return launch_as<c10::Half>(c, stream);
    case ncclFloat32:
      return launch_as<float>(c, stream);
    case ncclFloat64:
      return launch_as<double>(c, stream);
    case ncclBfloat16:
      return launch_as<c10::BFloat16>(c, stream);
  }
  return cudaErrorInvalidValue;
}

class DeviceScope {
 public:
  DeviceScope() { cudaGetDevice(&original_); }
  ~DeviceScope() { cudaSetDevice(original_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int original_ = 0;
};

// Work that `later` gets from now on waits for the work that `earlier` has.
cudaError_t order(int earlier_device, cudaStream_t earlier, int later_device, cudaStream_t later) {
  cudaEvent_t event = nullptr;
  cudaSetDevice(earlier_device);
  cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  if (error != cudaSuccess) return error;
  error = cudaEventRecord(event, earlier);
  cudaSetDevice(later_device);
  if (error == cudaSuccess) error = cudaStreamWaitEvent(later, event);
  cudaEventDestroy(event);
  return error;
}

// Runs one call of each rank, in the order of the ranks.
ncclResult_t run(const std::vector<Call>& calls) {
  const std::vector<int>& devices = calls[0].comm->clique->devices;
  Collective whole = calls[0].common;
  for (size_t rank = 0; rank < calls.size(); ++rank) {
    const Call& call = calls[rank];
    if (!call.common.same_call(calls[0].common) || call.type != calls[0].type) {
      return ncclInvalidUsage;
    }
    whole.send[rank] = call.common.send[0];
    whole.receive[rank] = call.common.receive[0];
  }
  whole.ranks = static_cast<int>(calls.size());
  const DeviceScope scope;
  const cudaStream_t first = calls[0].stream;
  cudaError_t error = cudaSuccess;
  for (size_t rank = 1; rank < calls.size() && error == cudaSuccess; ++rank) {
    error = order(devices[rank], calls[rank].stream, devices[0], first);
  }
  cudaSetDevice(devices[0]);
  if (error == cudaSuccess) error = launch(whole, calls[0].type, first);
  for (size_t rank = 1; rank < calls.size() && error == cudaSuccess; ++rank) {
    error = order(devices[0], first, devices[rank], calls[rank].stream);
  }
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// Takes the first call of each rank of a communicator out of the group.
std::vector<Call> take_calls(std::vector<Call>& calls) {
  const std::shared_ptr<Clique> clique = calls.front().comm->clique;
  std::vector<Call> taken;
  for (size_t rank = 0; rank < clique->devices.size(); ++rank) {
    const auto found = std::find_if(calls.begin(), calls.end(), [&](const Call& call) {
      return call.comm->clique == clique && call.comm->rank == static_cast<int>(rank);
    });
    if (found == calls.end()) return {};
    taken.push_back(*found);
    calls.erase(found);
  }
  return taken;
}

ncclResult_t add_call(
    ncclComm_t comm, cudaStream_t stream, ncclDataType_t type, const void* send, void* receive,
    Collective common) {
  if (comm == nullptr || common.root < 0 ||
      common.root >= static_cast<int>(comm->clique->devices.size())) {
    return ncclInvalidArgument;
  }
  common.send[0] = send;
  common.receive[0] = receive;
  ncclGroupStart();
  group.push_back({comm, stream, type, common});
  return ncclGroupEnd();
}

// Lets the device of the first rank reach those of the others.
ncclResult_t open_peers(const std::vector<int>& devices) {
  const DeviceScope scope;
  if (cudaSetDevice(devices[0]) != cudaSuccess) return ncclInvalidArgument;
  for (size_t rank = 1; rank < devices.size(); ++rank) {
    const cudaError_t error = cudaDeviceEnablePeerAccess(devices[rank], 0);
    if (error != cudaSuccess && error != cudaErrorPeerAccessAlreadyEnabled) {
      return ncclUnhandledCudaError;
    }
    if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  }
  return ncclSuccess;
}

Collective make(Kind kind, size_t count, ncclRedOp_t op = ncclSum, int root = 0) {
  return {kind, 0, static_cast<int64_t>(count), op, root, {}, {}};
}

} // namespace

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInternalError:
      return "internal error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage: the emulated NCCL needs the same call of all ranks, in one process";
  }
  return "unknown result code";
}

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_MAJOR * 10000 + NCCL_MINOR * 100 + NCCL_PATCH;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::atomic<uint64_t> next{1};
  std::fill(std::begin(id->internal), std::end(id->internal), '\0');
  const uint64_t number = next.fetch_add(1);
  std::memcpy(id->internal, &number, sizeof(number));
  return ncclSuccess;
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices) {
  if (count < 1 || count > kMaxRanks) return ncclInvalidArgument;
  const auto clique = std::make_shared<Clique>();
  for (int rank = 0; rank < count; ++rank) {
    clique->devices.push_back(devices != nullptr ? devices[rank] : rank);
  }
  const ncclResult_t opened = open_peers(clique->devices);
  if (opened != ncclSuccess) return opened;
  for (int rank = 0; rank < count; ++rank) {
    comms[rank] = new ncclComm{clique, rank};
  }
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId, int rank) {
  if (ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  if (ranks != 1) return ncclInvalidUsage;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return ncclUnhandledCudaError;
  return ncclCommInitAll(comm, 1, &device);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (group_depth == 0) return ncclInvalidUsage;
  if (--group_depth != 0) return ncclSuccess;
  std::vector<Call> calls;
  calls.swap(group);
  while (!calls.empty()) {
    const std::vector<Call> together = take_calls(calls);
    if (together.empty()) return ncclInvalidUsage;
    const ncclResult_t result = run(together);
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
    ncclComm_t comm, cudaStream_t stream) {
  return add_call(comm, stream, type, send, receive, make(Kind::AllReduce, count, op));
}
ncclResult_t ncclReduce(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
    ncclComm_t comm, cudaStream_t stream) {
  return add_call(comm, stream, type, send, receive, make(Kind::Reduce, count, op, root));
}
ncclResult_t ncclBroadcast(
    const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
    cudaStream_t stream) {
  return add_call(comm, stream, type, send, receive, make(Kind::Broadcast, count, ncclSum, root));
}
ncclResult_t ncclAllGather(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t comm,
    cudaStream_t stream) {
  return add_call(comm, stream, type, send, receive, make(Kind::AllGather, count));
}
ncclResult_t ncclReduceScatter(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
    ncclComm_t comm, cudaStream_t stream) {
  return add_call(comm, stream, type, send, receive, make(Kind::ReduceScatter, count, op));
}
