"""transformers: a small Llama with grouped heads trains under both kinds of attention, and generates."""

from transformers import LlamaConfig, LlamaForCausalLM

import torch
from report import report


def run(attention):
    """Return the losses of a few steps and what the model generates."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=64,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        attn_implementation=attention,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = LlamaForCausalLM(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
    words = torch.randint(3, 64, (4, 12))
    losses = []
    for _ in range(3):
        loss = model(words, labels=words).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    model.eval()
    mask = torch.ones_like(words[:2, :6])
    mask[0, :2] = 0
    made = model.generate(words[:2, :6], attention_mask=mask, max_new_tokens=8, do_sample=False)
    with torch.no_grad():
        half = model.to(torch.bfloat16)(words).logits.float().mean()
    return [*losses, made, half]


report(sdpa=run("sdpa"), eager=run("eager"))
