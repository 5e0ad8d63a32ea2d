"""torch-audiomentations: gains, noises, filters and shifts of sounds; julius: resampling and bands of frequencies."""

import random

import julius
import torch_audiomentations as augment

import torch
from report import report

torch.manual_seed(0)
sounds = torch.rand(3, 1, 1600)
found = []
for transform in (
    augment.Gain(p=1.0),
    augment.PolarityInversion(p=1.0),
    augment.AddColoredNoise(p=1.0),
    augment.HighPassFilter(p=1.0),
    augment.LowPassFilter(p=1.0),
    augment.BandPassFilter(p=1.0),
    augment.PeakNormalization(p=1.0),
    augment.Shift(p=1.0),
    augment.TimeInversion(p=1.0),
):
    random.seed(0)
    torch.manual_seed(0)
    found.append(transform(sounds, sample_rate=16000))

given = sounds.clone().requires_grad_()
filtered = [
    julius.resample_frac(given, 3, 2),
    julius.lowpass_filter(given, 0.1),
    julius.bandpass_filter(given, 0.1, 0.2),
    julius.fft_conv1d(given, torch.rand(2, 1, 65)),
    julius.SplitBands(16000, 4)(given),
]
sum(sound.square().mean() for sound in filtered).backward()
report(augmented=found, filtered=filtered, gradient=given.grad)
