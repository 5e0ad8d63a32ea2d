#pragma once

// Symbol visibility. Every library is compiled with -fvisibility=hidden, and these macros mark its
// exported symbols. ELF needs no import attribute, so the same macro works inside and outside the
// library.
#define C10_EXPORT __attribute__((visibility("default")))
#define C10_IMPORT C10_EXPORT
#define C10_HIDDEN __attribute__((visibility("hidden")))

#define C10_API C10_EXPORT
#define C10_CUDA_API C10_EXPORT
#define TORCH_API C10_EXPORT
#define TORCH_CUDA_CPP_API C10_EXPORT
#define TORCH_CUDA_CU_API C10_EXPORT
#define TORCH_PYTHON_API C10_EXPORT
#define C10_API_ENUM
