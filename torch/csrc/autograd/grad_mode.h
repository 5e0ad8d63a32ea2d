#pragma once

#include <c10/core/GradMode.h>

namespace torch::autograd {

using GradMode = c10::GradMode;
using AutoGradMode = c10::AutoGradMode;

} // namespace torch::autograd
