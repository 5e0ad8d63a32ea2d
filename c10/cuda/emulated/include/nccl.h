#pragma once

// Stands in for NCCL's header when CUDA_EMULATION is ON: collectives over the devices of one
// process.

#include <c10/macros/Export.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#define NCCL_UNIQUE_ID_BYTES 128
#define NCCL_MAJOR 2
#define NCCL_MINOR 28
#define NCCL_PATCH 0
#define NCCL_SUFFIX "emulated"

typedef struct ncclComm* ncclComm_t;
typedef struct {
  char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5
} ncclResult_t;

typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 } ncclRedOp_t;

typedef enum {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9
} ncclDataType_t;

extern "C" {

C10_API const char* ncclGetErrorString(ncclResult_t result);
C10_API ncclResult_t ncclGetVersion(int* version);
C10_API ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
C10_API ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int* devices);
// Only of one rank: another process cannot take part.
C10_API ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
C10_API ncclResult_t ncclCommDestroy(ncclComm_t comm);
C10_API ncclResult_t ncclGroupStart();
C10_API ncclResult_t ncclGroupEnd();
C10_API ncclResult_t ncclAllReduce(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
    ncclComm_t comm, cudaStream_t stream);
C10_API ncclResult_t ncclReduce(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
    ncclComm_t comm, cudaStream_t stream);
C10_API ncclResult_t ncclBroadcast(
    const void* send, void* receive, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
    cudaStream_t stream);
C10_API ncclResult_t ncclAllGather(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t comm,
    cudaStream_t stream);
C10_API ncclResult_t ncclReduceScatter(
    const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
    ncclComm_t comm, cudaStream_t stream);

} // extern "C"
