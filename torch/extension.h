#pragma once

// The header for C++ extensions of torch: tensors, functions, and registration of operators.
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/types.h>
#include <torch/version.h>
