"""Train a LeNet to read digits. Runs unchanged on Torchsmith and on PyTorch.

python examples/mnist.py [--data FOLDER_OF_MNIST] [--epochs N] [--device cuda]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import digits

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class LeNet(nn.Module):
    """Two convolutions with pooling, three linear layers. LeCun et al. (1998), with dropout."""

    def __init__(self, dropout: float = 0.25) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.dropout = nn.Dropout(dropout)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, images: Tensor) -> Tensor:
        """Map images (N, 1, 28, 28) to logits (N, 10)."""
        x = F.max_pool2d(F.relu(self.conv1(images)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(self.dropout(x.flatten(1))))
        return self.fc3(F.relu(self.fc2(x)))


def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Return the fraction of images that the model reads correctly."""
    model.eval()
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def main() -> None:
    """Train, printing the loss of every tenth step and the accuracy after each epoch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with MNIST's four .gz files")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--count", type=int, default=6400, help="images to train on")
    parser.add_argument(
        "--steps", type=int, help="stop after this many steps, and print every loss"
    )
    parser.add_argument("--dropout", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", type=torch.device, default=torch.device("cpu"))
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    device = options.device
    images, labels = (x.to(device) for x in digits.load(options.data, True, options.count))
    test_images, test_labels = (x.to(device) for x in digits.load(options.data, False, 1000))
    model = LeNet(options.dropout).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    started, step = time.perf_counter(), 0
    for epoch in range(options.epochs):
        model.train()
        for batch in torch.randperm(len(images)).to(device).split(64):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images[batch]), labels[batch], label_smoothing=0.05)
            loss.backward()
            optimizer.step()
            step += 1
            if options.steps or step % 10 == 0:
                print(f"step {step} loss {loss.item():.6f}")
            if step == options.steps:
                return
        fraction = accuracy(model, test_images, test_labels)
        seconds = time.perf_counter() - started
        print(f"epoch {epoch + 1}: {fraction:.1%} of the test images read, {seconds:.1f} s")


if __name__ == "__main__":
    main()
