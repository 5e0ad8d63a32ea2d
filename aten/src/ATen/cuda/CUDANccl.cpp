#include <ATen/cuda/CUDANccl.h>

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Exception.h>

#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace at::cuda::nccl {

namespace {

void check(ncclResult_t result) {
  TORCH_CHECK(
      result == ncclSuccess, "NCCL Error ", static_cast<int>(result), ": ",
      ncclGetErrorString(result));
}

struct NcclCommunicator final : Communicator {
  explicit NcclCommunicator(ncclComm_t comm) : comm(comm) {}
  ~NcclCommunicator() override { ncclCommDestroy(comm); }
  C10_DISABLE_COPY_AND_ASSIGN(NcclCommunicator);
  ncclComm_t comm;
};

ncclDataType_t nccl_type(const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case kFloat:
      return ncclFloat32;
    case kDouble:
      return ncclFloat64;
    case kHalf:
      return ncclFloat16;
    case kBFloat16:
      return ncclBfloat16;
    case kChar:
      return ncclInt8;
    case kByte:
    case kBool:
      return ncclUint8;
    case kInt:
      return ncclInt32;
    case kLong:
      return ncclInt64;
    default:
      TORCH_CHECK(false, "NCCL does not have the dtype ", tensor.scalar_type());
  }
}

ncclRedOp_t nccl_operation(int operation) {
  TORCH_CHECK_VALUE(
      operation >= 0 && operation < kOperations, "NCCL has no reduction ", operation,
      "; expected 0 to ", kOperations - 1, ": sum, product, maximum, minimum, mean");
  return static_cast<ncclRedOp_t>(operation);
}

void check_tensor(const Tensor& tensor, const Tensor& first, const char* what) {
  TORCH_CHECK(tensor.is_cuda(), what, " must be CUDA tensors, but one is on ", tensor.device());
  TORCH_CHECK(tensor.is_contiguous(), what, " must be contiguous");
  TORCH_CHECK_TYPE(
      tensor.scalar_type() == first.scalar_type(), what, " must have one dtype, but there are ",
      first.scalar_type(), " and ", tensor.scalar_type());
}

void check_inputs(const std::vector<Tensor>& inputs) {
  TORCH_CHECK(!inputs.empty(), "input sequence can't be empty");
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_tensor(inputs[i], inputs[0], "inputs");
    TORCH_CHECK(
        inputs[i].numel() == inputs[0].numel(), "all inputs must have the same number of elements");
    for (size_t j = 0; j < i; ++j) {
      TORCH_CHECK(inputs[i].device() != inputs[j].device(), "inputs must be on unique devices");
    }
  }
}

// Each output is on the device of its input, and has `numel` elements.
void check_outputs(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, int64_t numel) {
  TORCH_CHECK(
      inputs.size() == outputs.size(), "number of inputs and outputs must be equal, but got ",
      inputs.size(), " and ", outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    check_tensor(outputs[i], inputs[0], "outputs");
    TORCH_CHECK(
        outputs[i].device() == inputs[i].device(),
        "input and output must be on the same device, but got ", inputs[i].device(), " and ",
        outputs[i].device());
    TORCH_CHECK(
        outputs[i].numel() == numel, "output ", i, " has ", outputs[i].numel(), " elements, but ",
        numel, " are needed");
  }
}

void check_root(const std::vector<Tensor>& inputs, int root) {
  TORCH_CHECK(
      root >= 0 && static_cast<size_t>(root) < inputs.size(), "invalid root ", root, " of ",
      inputs.size(), " ranks");
}

// Communicators are kept until the process ends: making them takes seconds on some machines.
const std::vector<ncclComm_t>& communicators_of(const std::vector<int>& devices) {
  static std::mutex mutex;
  static auto* const all = new std::map<std::vector<int>, std::vector<ncclComm_t>>;
  const std::lock_guard lock(mutex);
  std::vector<ncclComm_t>& comms = (*all)[devices];
  if (comms.empty()) {
    std::vector<ncclComm_t> made(devices.size());
    check(ncclCommInitAll(made.data(), static_cast<int>(devices.size()), devices.data()));
    comms = std::move(made);
  }
  return comms;
}

std::vector<ncclComm_t> communicators(const std::vector<Tensor>& inputs, const Ranks& ranks) {
  if (ranks.communicators.empty()) {
    std::vector<int> devices;
    for (const Tensor& tensor : inputs) {
      devices.push_back(tensor.device().index());
    }
    return communicators_of(devices);
  }
  TORCH_CHECK(
      ranks.communicators.size() == inputs.size(), "expected a communicator for each of ",
      inputs.size(), " tensors, but got ", ranks.communicators.size());
  std::vector<ncclComm_t> comms;
  for (const Communicator* each : ranks.communicators) {
    comms.push_back(static_cast<const NcclCommunicator*>(each)->comm);
  }
  return comms;
}

c10::cuda::CUDAStream stream_of(const Ranks& ranks, size_t rank, const Tensor& tensor) {
  const bool given = rank < ranks.streams.size() && ranks.streams[rank].has_value();
  const auto stream =
      given ? *ranks.streams[rank] : c10::cuda::getCurrentCUDAStream(tensor.device().index());
  TORCH_CHECK(
      stream.device() == tensor.device(), "the stream of rank ", rank, " is on ", stream.device(),
      ", but its tensor is on ", tensor.device());
  return stream;
}

void keep_for(c10::cuda::CUDAStream stream, const Tensor& tensor) {
  c10::cuda::CUDACachingAllocator::recordStream(tensor.storage().data_ptr(), stream);
}

// Makes NCCL's call for each rank, as one group.
template <typename RankCall>
void call_ranks(const std::vector<Tensor>& inputs, const Ranks& ranks, RankCall call) {
  TORCH_CHECK(
      ranks.streams.empty() || ranks.streams.size() == inputs.size(),
      "expected a stream for each of ", inputs.size(), " tensors, but got ", ranks.streams.size());
  const std::vector<ncclComm_t> comms = communicators(inputs, ranks);
  c10::cuda::OptionalCUDAGuard guard;
  check(ncclGroupStart());
  ncclResult_t result = ncclSuccess;
  for (size_t rank = 0; rank < inputs.size() && result == ncclSuccess; ++rank) {
    guard.set_index(inputs[rank].device().index());
    const auto stream = stream_of(ranks, rank, inputs[rank]);
    keep_for(stream, inputs[rank]);
    result = call(rank, comms[rank], stream);
  }
  const ncclResult_t ended = ncclGroupEnd();
  check(result);
  check(ended);
}

} // namespace

bool is_built() {
  return true;
}

uint64_t version() {
  int number = 0;
  check(ncclGetVersion(&number));
  // 2.9 and later: major * 10000 + minor * 100 + patch.
  const auto part = [number](int divisor, int range) {
    return static_cast<uint64_t>(number / divisor % range);
  };
  return part(10000, 100) << 32 | part(100, 100) << 16 | part(1, 100);
}

std::string version_suffix() {
#if defined(NCCL_SUFFIX)
  return NCCL_SUFFIX;
#else
  return "";
#endif
}

std::string unique_id() {
  ncclUniqueId id;
  check(ncclGetUniqueId(&id));
  return {id.internal, sizeof(id.internal)};
}

std::unique_ptr<Communicator> init_rank(int ranks, const std::string& unique_id, int rank) {
  ncclUniqueId id;
  TORCH_CHECK(
      unique_id.size() == sizeof(id.internal), "invalid unique_id: expected ", sizeof(id.internal),
      " bytes, got ", unique_id.size());
  std::memcpy(id.internal, unique_id.data(), sizeof(id.internal));
  ncclComm_t comm = nullptr;
  check(ncclCommInitRank(&comm, ranks, id, rank));
  return std::make_unique<NcclCommunicator>(comm);
}

void all_reduce(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, int operation,
    const Ranks& ranks) {
  check_inputs(inputs);
  check_outputs(inputs, outputs, inputs[0].numel());
  const ncclRedOp_t op = nccl_operation(operation);
  call_ranks(inputs, ranks, [&](size_t rank, ncclComm_t comm, c10::cuda::CUDAStream stream) {
    keep_for(stream, outputs[rank]);
    return ncclAllReduce(
        inputs[rank].data_ptr(), outputs[rank].data_ptr(), inputs[0].numel(), nccl_type(inputs[0]),
        op, comm, stream);
  });
}

void reduce(
    const std::vector<Tensor>& inputs, const Tensor& output, int root, int operation,
    const Ranks& ranks) {
  check_inputs(inputs);
  check_root(inputs, root);
  check_outputs({inputs[root]}, {output}, inputs[0].numel());
  const ncclRedOp_t op = nccl_operation(operation);
  call_ranks(inputs, ranks, [&](size_t rank, ncclComm_t comm, c10::cuda::CUDAStream stream) {
    const bool receives = rank == static_cast<size_t>(root);
    if (receives) keep_for(stream, output);
    return ncclReduce(
        inputs[rank].data_ptr(), receives ? output.data_ptr() : nullptr, inputs[0].numel(),
        nccl_type(inputs[0]), op, root, comm, stream);
  });
}

void broadcast(const std::vector<Tensor>& tensors, int root, const Ranks& ranks) {
  check_inputs(tensors);
  check_root(tensors, root);
  call_ranks(tensors, ranks, [&](size_t rank, ncclComm_t comm, c10::cuda::CUDAStream stream) {
    return ncclBroadcast(
        tensors[rank].data_ptr(), tensors[rank].data_ptr(), tensors[0].numel(),
        nccl_type(tensors[0]), root, comm, stream);
  });
}

void all_gather(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, const Ranks& ranks) {
  check_inputs(inputs);
  check_outputs(inputs, outputs, inputs[0].numel() * static_cast<int64_t>(inputs.size()));
  call_ranks(inputs, ranks, [&](size_t rank, ncclComm_t comm, c10::cuda::CUDAStream stream) {
    keep_for(stream, outputs[rank]);
    return ncclAllGather(
        inputs[rank].data_ptr(), outputs[rank].data_ptr(), inputs[0].numel(), nccl_type(inputs[0]),
        comm, stream);
  });
}

void reduce_scatter(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs, int operation,
    const Ranks& ranks) {
  check_inputs(inputs);
  const auto count = static_cast<int64_t>(inputs.size());
  TORCH_CHECK(
      inputs[0].numel() % count == 0, "cannot scatter ", inputs[0].numel(), " elements to ", count,
      " ranks");
  check_outputs(inputs, outputs, inputs[0].numel() / count);
  const ncclRedOp_t op = nccl_operation(operation);
  call_ranks(inputs, ranks, [&](size_t rank, ncclComm_t comm, c10::cuda::CUDAStream stream) {
    keep_for(stream, outputs[rank]);
    return ncclReduceScatter(
        inputs[rank].data_ptr(), outputs[rank].data_ptr(), outputs[0].numel(), nccl_type(inputs[0]),
        op, comm, stream);
  });
}

} // namespace at::cuda::nccl
