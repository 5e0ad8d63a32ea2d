"""ptwt, asteroid-filterbanks and auraloss: wavelets, learned filters, losses of sounds."""

import asteroid_filterbanks as filters
import auraloss
import numpy
import ptwt
import pywt

import torch
from report import report

torch.manual_seed(0)
sounds = torch.rand(4, 1, 2048)
image = torch.randn(1, 32, 32, requires_grad=True)
details = ptwt.wavedec2(image, "haar", level=2)
details[0].sum().backward()
series = torch.randn(2, 64)
coefficients = ptwt.wavedec(series, pywt.Wavelet("db2"), level=2)

encoder, decoder = filters.make_enc_dec("free", 16, 16, 8)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
losses = []
for _ in range(3):
    optimizer.zero_grad()
    restored = decoder(encoder(sounds))
    loss = (restored - sounds).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss)

mistaken = sounds.clone().requires_grad_()
judged = [
    auraloss.freq.STFTLoss()(mistaken, sounds.flip(-1)),
    auraloss.time.SISDRLoss()(mistaken, sounds.flip(-1)),
    auraloss.time.LogCoshLoss()(mistaken, sounds.flip(-1)),
]
sum(judged).backward()
report(
    wavelets=[*coefficients, ptwt.waverec(coefficients, pywt.Wavelet("db2")), image.grad],
    continuous=torch.view_as_real(ptwt.cwt(series, numpy.arange(1.0, 5.0), "morl")[0] + 0j),
    learned=losses,
    judged=[*judged, mistaken.grad],
)
