#pragma once

// What a C++ extension of torch includes: tensors, functions, and registration of operators.
#include <torch/torch.h>
