#pragma once

// torch::data: data sets, what is done with their examples, samplers and loaders.
#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <torch/data/datasets/mnist.h>
#include <torch/data/samplers.h>
#include <torch/data/transforms.h>
