#pragma once

// Everything a C++ program that links libtorch usually wants.
#include <torch/autograd.h>
#include <torch/library.h>
#include <torch/types.h>
#include <torch/version.h>
