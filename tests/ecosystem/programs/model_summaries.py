"""torchinfo: summaries of models, with shapes, parameters and multiplications of each layer."""

from torchinfo import summary

import torch
from report import report
from torch import nn

torch.manual_seed(0)
images = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(8 * 8 * 8, 10),
)
words = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, enable_nested_tensor=False
)
recurrent = nn.LSTM(5, 7, 2, bidirectional=True)

found = [
    summary(images, (2, 3, 16, 16), verbose=0),
    summary(words, (2, 5, 16), verbose=0),
    summary(recurrent, (4, 2, 5), verbose=0, col_names=("input_size", "output_size", "mult_adds")),
]
report(
    parameters=[each.total_params for each in found],
    multiplications=[each.total_mult_adds for each in found],
    trainable=[each.trainable_params for each in found],
    output_bytes=[each.total_output_bytes for each in found],
    layers=[len(each.summary_list) for each in found],
    shapes=[n for each in found for layer in each.summary_list for n in layer.output_size],
)
