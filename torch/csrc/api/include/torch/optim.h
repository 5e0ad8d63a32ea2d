#pragma once

// torch::optim: optimizers and a schedule for their learning rates.
#include <torch/optim/adam.h>
#include <torch/optim/optimizer.h>
#include <torch/optim/sgd.h>
#include <torch/optim/step_lr.h>
