"""transformers: a small GPT-2 with random weights trains and generates, greedily, by samples and by beams."""

from transformers import GPT2Config, GPT2LMHeadModel

import torch
from report import report

torch.manual_seed(0)
config = GPT2Config(
    vocab_size=97, n_positions=64, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=96
)
model = GPT2LMHeadModel(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
words = torch.randint(0, 96, (4, 16))
losses = []
for _ in range(5):
    result = model(words, labels=words)
    result.loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(result.loss)
model.eval()
prompt = words[:2, :5]
options = {"max_new_tokens": 8, "pad_token_id": 96, "attention_mask": torch.ones_like(prompt)}
greedy = model.generate(prompt, do_sample=False, **options)
torch.manual_seed(1)
sampled = model.generate(prompt, do_sample=True, top_k=20, top_p=0.9, temperature=0.8, **options)
beams = model.generate(prompt, num_beams=3, do_sample=False, **options)
plain = model.generate(prompt, do_sample=False, use_cache=False, **options)
report(losses=losses, greedy=greedy, sampled=sampled, beams=beams, plain=plain)
