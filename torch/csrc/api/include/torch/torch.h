#pragma once

// Everything that a C++ program linked against libtorch usually needs.
#include <torch/autograd.h>
#include <torch/data.h>
#include <torch/library.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>
