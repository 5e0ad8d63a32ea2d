"""performer-pytorch, linformer, reformer-pytorch, conformer and g-mlp-pytorch: attention of long sequences trains."""

import conformer
import g_mlp_pytorch
import linformer
import performer_pytorch
import reformer_pytorch

import torch
from report import report

LENGTH = 64


def train(make, inputs, targets=None):
    """Take three steps, and return their losses."""
    torch.manual_seed(0)
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        outputs = model(inputs)
        if targets is None:
            loss = outputs.square().mean()
        else:
            loss = torch.nn.functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


torch.manual_seed(0)
words = torch.randint(0, 50, (2, LENGTH))
frames = torch.randn(2, 20, 32)
common = {"num_tokens": 50, "dim": 32, "depth": 2}
report(
    performer=train(
        lambda: performer_pytorch.PerformerLM(max_seq_len=LENGTH, heads=4, **common), words, words
    ),
    reversible=train(
        lambda: performer_pytorch.PerformerLM(
            max_seq_len=LENGTH, heads=4, reversible=True, generalized_attention=True, **common
        ),
        words,
        words,
    ),
    linformer=train(
        lambda: linformer.LinformerLM(seq_len=LENGTH, heads=4, k=16, **common), words, words
    ),
    reformer=train(
        lambda: reformer_pytorch.ReformerLM(
            max_seq_len=LENGTH, heads=4, bucket_size=8, n_hashes=2, causal=True, **common
        ),
        words,
        words,
    ),
    conformer=train(
        lambda: conformer.Conformer(dim=32, depth=2, dim_head=8, heads=4, conv_kernel_size=7),
        frames,
    ),
    gmlp=train(lambda: g_mlp_pytorch.gMLP(seq_len=LENGTH, **common), words, words),
)
