"""torchaudio: spectrograms, cepstra, filters, resampling, and a small acoustic model."""

import torchaudio.functional as F
import torchaudio.transforms as T
from torchaudio.models import Conformer

import torch
from report import report

torch.manual_seed(0)
sounds = torch.rand(2, 1600, requires_grad=True)
window = torch.hann_window(64)
cepstra = T.MFCC(16000, 8, melkwargs={"n_fft": 128, "n_mels": 16})(sounds)
cepstra.square().mean().backward()
spectrum = T.Spectrogram(64, power=None)(sounds)

model = Conformer(8, 2, 16, 1, 3)
frames, lengths = torch.rand(2, 12, 8), torch.tensor([12, 10])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
model.eval()  # without dropout
for _ in range(3):
    optimizer.zero_grad()
    loss = model(frames, lengths)[0].square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss)
report(
    cepstra=cepstra,
    gradient=sounds.grad,
    mel=T.MelSpectrogram(16000, 128, n_mels=16)(sounds),
    inverse=T.InverseSpectrogram(64)(spectrum, 1600),
    phases=F.griffinlim(spectrum.abs().square(), window, 64, 32, 64, 2.0, 4, 0.99, None, False),
    resampled=[F.resample(sounds, 16000, 8000), T.Resample(16000, 11025)(sounds)],
    filtered=[
        F.lfilter(sounds, torch.tensor([1.0, -0.4, 0.1]), torch.tensor([0.3, 0.2, 0.1])),
        F.highpass_biquad(sounds, 16000, 400.0),
        F.filtfilt(sounds, torch.tensor([1.0, -0.4]), torch.tensor([0.3, 0.2])),
        F.preemphasis(sounds),
    ],
    mixed=F.add_noise(sounds, sounds.flip(-1), torch.tensor([5.0, 10.0])),
    masked=T.FrequencyMasking(8)(spectrum.abs()),
    losses=losses,
)
