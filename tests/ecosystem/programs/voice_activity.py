"""silero-vad: its TorchScript file loads and finds the same speech in noise and tones."""

import silero_vad

import torch
from report import report

torch.manual_seed(0)
model = silero_vad.load_silero_vad()
places = torch.arange(16000) / 16000
tone = 0.3 * torch.sin(900 * places) * torch.sin(20 * places).abs()
sound = torch.cat([0.01 * torch.randn(8000), tone, 0.01 * torch.randn(8000)])

probabilities = [model(part, 16000) for part in sound.split(512) if len(part) == 512]
model.reset_states()
spoken = silero_vad.get_speech_timestamps(sound, model, threshold=0.1)
report(
    probabilities=probabilities,
    whole=model.audio_forward(sound, sr=16000),
    slow=model.audio_forward(sound[::2], sr=8000),
    spoken=[value for part in spoken for value in part.values()] or [-1],
)
