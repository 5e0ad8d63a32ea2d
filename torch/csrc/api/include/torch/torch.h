#pragma once

// Everything that a C++ program linked against libtorch usually needs.
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/types.h>
#include <torch/version.h>
