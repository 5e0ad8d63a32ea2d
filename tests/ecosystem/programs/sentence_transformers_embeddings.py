"""sentence-transformers: a small BERT with random weights embeds sentences and trains on pairs."""

import tempfile
from pathlib import Path

from sentence_transformers import SentenceTransformer, losses, util
from sentence_transformers.models import Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast

import torch
from report import report

torch.manual_seed(0)
words = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "ran",
    "on",
    "mat",
    "fast",
    "slow",
]
sizes = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab={word: number for number, word in enumerate(words)}).save_pretrained(
        folder
    )
    BertModel(BertConfig(vocab_size=len(words), **sizes)).save_pretrained(folder)
    encoder = Transformer(folder, max_seq_length=16)
    model = SentenceTransformer(modules=[encoder, Pooling(32)], device="cpu")
sentences = ["the cat sat on the mat", "a dog ran fast", "the dog sat", "a slow cat"]
before = model.encode(sentences, convert_to_tensor=True, normalize_embeddings=True)
loss_of = losses.MultipleNegativesRankingLoss(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model.train()
found = []
for _ in range(3):
    pairs = [model.tokenize(sentences[:2]), model.tokenize(sentences[2:])]
    loss = loss_of(pairs, None)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    found.append(loss)
hits = util.semantic_search(before[:1], before[1:], top_k=2)[0]
report(before=before, losses=found, hits=[hit["score"] for hit in hits])
