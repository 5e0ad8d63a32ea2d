"""A LeNet of Caffe2, its training, its data and the same network in torch; for tests in builds with Caffe2."""

from __future__ import annotations

from typing import Any

import numpy as np

import torch
from caffe2.python import brew, model_helper, workspace

F = torch.nn.functional


def lenet(name: str) -> Any:
    """Return the model of Caffe2's tutorial for digits, with a loss but without training."""
    model = model_helper.ModelHelper(name)
    brew.conv(model, "data", "conv1", dim_in=1, dim_out=6, kernel=5)
    brew.max_pool(model, "conv1", "pool1", kernel=2, stride=2)
    brew.conv(model, "pool1", "conv2", dim_in=6, dim_out=12, kernel=5)
    brew.max_pool(model, "conv2", "pool2", kernel=2, stride=2)
    brew.fc(model, "pool2", "fc3", dim_in=12 * 4 * 4, dim_out=32)
    brew.relu(model, "fc3", "fc3")
    brew.fc(model, "fc3", "pred", dim_in=32, dim_out=10)
    brew.softmax(model, "pred", "softmax")
    model.LabelCrossEntropy(["softmax", "label"], "xent")
    model.AveragedLoss("xent", "loss")
    brew.accuracy(model, ["softmax", "label"], "accuracy")
    return model


def add_training(model: Any) -> None:
    """Add gradients and steps of gradient descent to a model."""
    model.AddGradientOperators(["loss"])
    brew.iter(model, "iter")
    model.LearningRate("iter", "LR", base_lr=-0.1, policy="step", stepsize=1, gamma=0.999)
    model.param_init_net.ConstantFill([], "ONE", shape=[1], value=1.0)
    for parameter in model.GetParams():
        gradient = model.param_to_grad[parameter]
        model.WeightedSum([parameter, "ONE", gradient, "LR"], parameter)


def feed_images(count: int = 64, device: Any = None) -> None:
    """Feed images of ten classes to a device: a bright square at a place of the class, and noise."""
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 10, count)
    images = generator.normal(0, 0.1, (count, 1, 28, 28)).astype(np.float32)
    for image, label in zip(images, labels, strict=True):
        row, column = divmod(int(label), 4)
        image[0, 3 + 8 * row : 9 + 8 * row, 1 + 7 * column : 7 + 7 * column] += 1
    workspace.FeedBlob("data", images, device)
    workspace.FeedBlob("label", labels.astype(np.int32), device)


def torch_lenet(values: dict[str, Any]) -> dict[str, Any]:
    """Compute the outputs of `lenet` from its parameters with torch."""
    conv1 = F.conv2d(values["data"], values["conv1_w"], values["conv1_b"])
    conv2 = F.conv2d(F.max_pool2d(conv1, 2, 2), values["conv2_w"], values["conv2_b"])
    flat = F.max_pool2d(conv2, 2, 2).flatten(1)
    fc3 = F.relu(F.linear(flat, values["fc3_w"], values["fc3_b"]))
    pred = F.linear(fc3, values["pred_w"], values["pred_b"])
    loss = F.cross_entropy(pred, values["label"].long())
    return {"conv2": conv2, "fc3": fc3, "softmax": F.softmax(pred, 1), "loss": loss}
