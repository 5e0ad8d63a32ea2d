"""fair-esm and egnn-pytorch: a language model of proteins trains, and coordinates move with rotations."""

import egnn_pytorch
import esm
from esm.model.esm2 import ESM2

import torch
from report import report

torch.manual_seed(0)
alphabet = esm.data.Alphabet.from_architecture("ESM-1b")
model = ESM2(num_layers=2, embed_dim=32, attention_heads=4, alphabet=alphabet)
_, _, tokens = alphabet.get_batch_converter()([("first", "MKTVRQ"), ("second", "KALTAR")])
optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
losses = []
for _ in range(3):
    optimizer.zero_grad()
    logits = model(tokens, repr_layers=[2])["logits"]
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())
    loss.backward()
    optimizer.step()
    losses.append(loss)
model.eval()

network = egnn_pytorch.EGNN_Network(
    num_tokens=21, num_positions=6, dim=8, depth=2, num_nearest_neighbors=3
)
residues, places = torch.randint(0, 21, (1, 6)), torch.rand(1, 6, 3, requires_grad=True)
features, moved = network(residues, places)
(features.sum() + moved.square().sum()).backward()
report(
    losses=losses,
    contacts=model(tokens, return_contacts=True)["contacts"],
    equivariant=[features, moved, places.grad],
)
