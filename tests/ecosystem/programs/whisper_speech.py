"""openai-whisper: a small model with random weights decodes a made-up spectrogram and trains."""

import whisper
from whisper.decoding import DecodingOptions
from whisper.model import ModelDimensions, Whisper

import torch
from report import report

torch.manual_seed(0)
sizes = ModelDimensions(
    n_mels=80,
    n_audio_ctx=1500,
    n_audio_state=32,
    n_audio_head=2,
    n_audio_layer=1,
    n_vocab=51864,
    n_text_ctx=64,
    n_text_state=32,
    n_text_head=2,
    n_text_layer=1,
)
model = Whisper(sizes)
for p in model.parameters():
    torch.nn.init.normal_(p, std=0.05)
sound = torch.randn(80, 3000) * 0.5
options = DecodingOptions(language="en", without_timestamps=True, fp16=False, sample_len=8)
with torch.no_grad():
    result = whisper.decode(model.eval(), sound, options)
words = torch.randint(0, 50000, (1, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
losses = []
for _ in range(2):
    scores = model.train()(sound[None], words)
    loss = torch.nn.functional.cross_entropy(scores[:, :-1].transpose(1, 2), words[:, 1:])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss)
report(
    losses=losses, tokens=result.tokens, chance=result.avg_logprob, features=result.audio_features
)
