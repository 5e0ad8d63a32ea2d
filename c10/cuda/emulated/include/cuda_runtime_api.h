#pragma once

// Stands in for the CUDA toolkit's header of the same name when CUDA_EMULATION is ON. It declares
// the part of the runtime API that this project calls, with the toolkit's names, signatures and
// numbers, so that a source compiles against either. Anything else of CUDA is missing on purpose:
// its first use fails to compile instead of failing at run time.

#include <c10/macros/Export.h>

#include <cstddef>

#define C10_CUDA_EMULATED 1
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define CUDARTAPI
#define CUDART_CB

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorDevicesUnavailable = 46,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorPeerAccessNotEnabled = 705,
  cudaErrorAssert = 710,
  cudaErrorHostMemoryAlreadyRegistered = 712,
  cudaErrorHostMemoryNotRegistered = 713,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorStreamCaptureUnmatched = 903,
  cudaErrorStreamCaptureUnjoined = 904,
  cudaErrorStreamCaptureIsolation = 905,
  cudaErrorStreamCaptureImplicit = 906,
  cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2
};
enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1 };

#define cudaEnableDefault 0x0
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventRecordExternal 0x01
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaEventWaitDefault 0x00
#define cudaEventWaitExternal 0x01
#define cudaIpcMemLazyEnablePeerAccess 0x01
#define CUDA_IPC_HANDLE_SIZE 64

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef void(CUDART_CB* cudaHostFn_t)(void* user_data);

// What other processes open memory and events by.
typedef struct cudaIpcMemHandle_st {
  char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle_st {
  char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcEventHandle_t;

typedef struct CUuuid_st {
  char bytes[16];
} cudaUUID_t;

struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  size_t sharedMemPerBlockOptin;
  size_t sharedMemPerMultiprocessor;
  int regsPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsPerMultiProcessor;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int integrated;
  int isMultiGpuBoard;
  int memoryBusWidth;
  int pciBusID;
  int pciDeviceID;
  int pciDomainID;
};

struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

extern "C" {

// ---- devices and errors
C10_API cudaError_t cudaGetDeviceCount(int* count);
C10_API cudaError_t cudaGetDevice(int* device);
C10_API cudaError_t cudaSetDevice(int device);
C10_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
C10_API cudaError_t cudaDeviceSynchronize();
C10_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
C10_API cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer);
C10_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
C10_API cudaError_t cudaDriverGetVersion(int* version);
C10_API cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned int version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* status = nullptr);
C10_API cudaError_t cudaRuntimeGetVersion(int* version);
C10_API cudaError_t cudaGetLastError();
C10_API cudaError_t cudaPeekAtLastError();
C10_API const char* cudaGetErrorName(cudaError_t error);
C10_API const char* cudaGetErrorString(cudaError_t error);

// ---- memory
C10_API cudaError_t cudaMalloc(void** pointer, size_t bytes);
C10_API cudaError_t cudaFree(void* pointer);
C10_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags);
C10_API cudaError_t cudaFreeHost(void* pointer);
C10_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags);
C10_API cudaError_t cudaHostUnregister(void* pointer);
C10_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
C10_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
C10_API cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
C10_API cudaError_t cudaMemcpyPeerAsync(
    void* to, int to_device, const void* from, int from_device, size_t bytes,
    cudaStream_t stream = nullptr);
C10_API cudaError_t cudaMemset(void* pointer, int value, size_t bytes);
C10_API cudaError_t
cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream = nullptr);
C10_API cudaError_t
cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

// ---- streams and events
C10_API cudaError_t cudaStreamCreate(cudaStream_t* stream);
C10_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
C10_API cudaError_t
cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
C10_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
C10_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
C10_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
C10_API cudaError_t cudaStreamQuery(cudaStream_t stream);
C10_API cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
C10_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);
C10_API cudaError_t cudaEventCreate(cudaEvent_t* event);
C10_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
C10_API cudaError_t cudaEventDestroy(cudaEvent_t event);
C10_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
C10_API cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags);
C10_API cudaError_t cudaEventQuery(cudaEvent_t event);
C10_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
C10_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// ---- memory and events of other processes
C10_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer);
C10_API cudaError_t
cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned int flags);
C10_API cudaError_t cudaIpcCloseMemHandle(void* pointer);
C10_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
C10_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);

// ---- graphs
C10_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
C10_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
C10_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status);
C10_API cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id = nullptr);
C10_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode);
C10_API cudaError_t
cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0);
C10_API cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
C10_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
C10_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
C10_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int flags);

} // extern "C"
