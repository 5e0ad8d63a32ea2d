"""nnAudio: spectrograms as layers, with gradients of their filters, and the inverse."""

from nnAudio import features

import torch
from report import report

torch.manual_seed(0)
sound = torch.randn(2, 8000)
quiet = {"verbose": False}
mel = {"sr": 8000, "n_fft": 256, "n_mels": 20, "hop_length": 64}
constant = {"sr": 8000, "fmin": 200, "n_bins": 24, "hop_length": 128}
layers = {
    "stft": features.STFT(
        n_fft=256, hop_length=64, trainable=True, output_format="Magnitude", **quiet
    ),
    "mel": features.MelSpectrogram(trainable_mel=True, **mel, **quiet),
    "mfcc": features.MFCC(n_mfcc=10, **mel, **quiet),
    "constant_q": features.CQT1992v2(**constant, **quiet),
    "by_octaves": features.CQT2010v2(**constant, **quiet),
    "gammatones": features.Gammatonegram(sr=8000, n_fft=256, n_bins=16, hop_length=64, **quiet),
}
found = {}
for name, layer in layers.items():
    output = layer(sound)
    learned = [weight for weight in layer.parameters() if weight.requires_grad]
    found[name] = [output]
    if learned:
        found[name] += torch.autograd.grad(output.square().mean(), learned)
complex_layer = features.STFT(
    n_fft=256, hop_length=64, iSTFT=True, output_format="Complex", **quiet
)
report(inverse=complex_layer.inverse(complex_layer(sound), length=8000), **found)
