"""x-transformers: decoders and encoders with several options train and generate."""

from x_transformers import (
    AutoregressiveWrapper,
    Decoder,
    Encoder,
    TransformerWrapper,
    ViTransformerWrapper,
)

import torch
from report import report


def train(layers, **options):
    """Return the losses of a few steps and what the model generates."""
    torch.manual_seed(0)
    inner = TransformerWrapper(num_tokens=50, max_seq_len=32, attn_layers=layers, **options)
    model = AutoregressiveWrapper(inner)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    words = torch.randint(0, 50, (2, 16))
    losses = []
    for _ in range(3):
        loss = model(words)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    made = model.generate(words[:, :4], 6, temperature=0.0)
    return [*losses, made]


size = {"dim": 32, "depth": 2, "heads": 4}
torch.manual_seed(1)
plain = Decoder(**size)
rotary = Decoder(rotary_pos_emb=True, ff_glu=True, use_rmsnorm=True, attn_kv_heads=2, **size)
alibi = Decoder(alibi_pos_bias=True, attn_qk_norm=True, ff_swish=True, **size)
flash = Decoder(attn_flash=True, sandwich_norm=True, **size)
vision = ViTransformerWrapper(
    image_size=32, patch_size=8, num_classes=5, attn_layers=Encoder(**size)
)
image = vision(torch.rand(2, 3, 32, 32))
report(
    plain=train(plain), rotary=train(rotary), alibi=train(alibi), flash=train(flash), image=image
)
