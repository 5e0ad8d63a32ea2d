#pragma once

// The header for C++ extensions of torch: tensors, functions, networks, registration of operators,
// and pybind11's conversions where its headers are installed.
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/torch.h>
#include <torch/types.h>
#include <torch/version.h>

#if __has_include(<pybind11/pybind11.h>) && __has_include(<Python.h>)
#include <torch/csrc/utils/pybind.h>
#endif
