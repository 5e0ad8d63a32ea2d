"""transformers: a small BERT with random weights trains to classify, and fills masked words."""

from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

import torch
from report import report

torch.manual_seed(0)
sizes = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
config = BertConfig(vocab_size=99, max_position_embeddings=64, num_labels=3, **sizes)
model = BertForSequenceClassification(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
words = torch.randint(0, 99, (4, 12))
mask = torch.ones_like(words)
mask[1:, 8:] = 0
losses = []
for _ in range(3):
    optimizer.zero_grad()
    result = model(words, attention_mask=mask, labels=torch.tensor([0, 1, 2, 0]))
    result.loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.append(result.loss)
model.eval()
with torch.no_grad():
    states = model(words, attention_mask=mask, output_hidden_states=True).hidden_states
masked = BertForMaskedLM(config).eval()
with torch.no_grad():
    filled = masked(words, attention_mask=mask, labels=words)
report(losses=losses, last=states[-1], filled=filled.loss, words=filled.logits.argmax(-1))
