"""Train a small GPT on the characters of a text. Runs unchanged on Torchsmith and on PyTorch.

python examples/char_gpt.py [--text FILE] [--steps N] [--device cuda]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LENGTH, WIDTH, HEADS, LAYERS, BATCH = 64, 128, 4, 2, 8


class Block(nn.Module):
    """Causal self-attention and a feed-forward network, each added to its input."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)
        self.dropout = nn.Dropout(dropout)

    def attend(self, x: Tensor) -> Tensor:
        """Let each position attend to itself and those before it: (N, T, C) to (N, T, C)."""
        count, length, _ = x.shape
        heads = self.qkv(x).view(count, length, 3, HEADS, WIDTH // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(count, length, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        """Transform x; the shape stays (N, T, C)."""
        x = x + self.dropout(self.attend(self.norm1(x)))
        return x + self.dropout(self.down(F.gelu(self.up(self.norm2(x)))))


class CharGPT(nn.Module):
    """A language model over characters: a small version of Radford et al. (2019)."""

    def __init__(self, characters: int, dropout: float) -> None:
        super().__init__()
        self.token = nn.Embedding(characters, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block(dropout) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, characters, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map tokens (N, T) to logits (N, T, characters)."""
        x = self.token(tokens) + self.position(torch.arange(tokens.size(1), device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))

    @torch.no_grad()
    def extend(self, tokens: Tensor, count: int) -> Tensor:
        """Extend a text (1, T) by `count` characters drawn from the model."""
        self.eval()
        for _ in range(count):
            logits = self(tokens[:, -LENGTH:])[:, -1]
            tokens = torch.cat([tokens, torch.multinomial(logits.softmax(-1), 1)], 1)
        return tokens


def main() -> None:
    """Train on a text (by default this file), then print text that the model generates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, default=Path(__file__))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--every", type=int, default=20, help="steps between printed losses")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--generate", type=int, default=200, help="characters to print in the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", type=torch.device, default=torch.device("cpu"))
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    text = options.text.read_text(encoding="utf-8")
    alphabet = sorted(set(text))
    number = {character: index for index, character in enumerate(alphabet)}
    tokens = torch.tensor([number[character] for character in text])
    model = CharGPT(len(alphabet), options.dropout).to(options.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.steps)
    started = time.perf_counter()
    for step in range(1, options.steps + 1):
        starts = torch.randint(0, len(tokens) - LENGTH - 1, (BATCH,))
        texts = [tokens[start : start + LENGTH + 1] for start in starts.tolist()]
        windows = torch.stack(texts).to(options.device)
        logits = model(windows[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % options.every == 0:
            print(f"step {step} loss {loss.item():.6f}")
    print(f"{options.steps} steps in {time.perf_counter() - started:.1f} s")
    start = tokens[None, :1].to(options.device)
    generated = model.extend(start, options.generate)[0].tolist()
    print("".join(alphabet[token] for token in generated))


if __name__ == "__main__":
    main()
