#pragma once

// The header for C++ extensions of torch: tensors, functions, and registration of operators.
#include <torch/torch.h>
