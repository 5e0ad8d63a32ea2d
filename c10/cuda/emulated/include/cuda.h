#pragma once

// Stands in for the CUDA toolkit's header of the same name when CUDA_EMULATION is ON: the part of
// the driver's API that this project calls: the mapping of memory to reserved addresses, and
// modules of kernels that were compiled at run time.

#include <c10/macros/Export.h>
#include <cuda_runtime_api.h>

#include <cstddef>

typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_SUPPORTED = 801
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;

typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;

typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
} CUfunction_attribute;
typedef enum CUdevice_attribute_enum {
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102
} CUdevice_attribute;
typedef enum CUmemAllocationType_enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1 } CUmemAllocationType;
typedef enum CUmemLocationType_enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } CUmemLocationType;
typedef enum CUmemAccess_flags_enum { CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 } CUmemAccess_flags;

typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAllocationProp_st {
  CUmemAllocationType type;
  CUmemLocation location;
} CUmemAllocationProp;
typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;

extern "C" {

C10_API CUresult cuGetErrorName(CUresult error, const char** name);
C10_API CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device);
C10_API CUresult cuMemAddressReserve(
    CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr wanted,
    unsigned long long flags);
C10_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
C10_API CUresult cuMemCreate(
    CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
    unsigned long long flags);
C10_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
C10_API CUresult cuMemMap(
    CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
    unsigned long long flags);
C10_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
C10_API CUresult
cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access, size_t count);

// An image is what the emulated NVRTC makes: a shared library of the host.
C10_API CUresult cuModuleLoadData(CUmodule* module, const void* image);
C10_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name);
// Offsets are those of parameters without padding.
C10_API CUresult
cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes);
C10_API CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
C10_API CUresult cuLaunchKernel(
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments,
    void** extra);

} // extern "C"
