"""The LSTM of pytorch/examples/word_language_model, on made-up words: truncated backpropagation."""

import torch
from report import report
from torch import nn


class RNNModel(nn.Module):
    """An encoder, a recurrent network and a tied decoder."""

    def __init__(self, kind, words, width, layers):
        super().__init__()
        self.drop, self.encoder = nn.Dropout(0.2), nn.Embedding(words, width)
        self.rnn = getattr(nn, kind)(width, width, layers, dropout=0.2)
        self.decoder = nn.Linear(width, words)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, x, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(x)), hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.decoder.out_features)
        return nn.functional.log_softmax(decoded, dim=1), hidden


def train(kind):
    """Return the losses of a few steps and the final state."""
    torch.manual_seed(1111)
    data = (torch.arange(400) * 7 % 23).view(10, -1).t().contiguous()
    model = RNNModel(kind, 23, 16, 2)
    hidden, losses = None, []
    for start in range(0, 32, 8):
        x, y = data[start : start + 8], data[start + 1 : start + 9].reshape(-1)
        model.zero_grad()
        if hidden is not None:
            hidden = tuple(h.detach() for h in hidden) if kind == "LSTM" else hidden.detach()
        output, hidden = model(x, hidden)
        loss = nn.functional.nll_loss(output, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-20)
        losses.append(loss)
    return [*losses, *(hidden if kind == "LSTM" else [hidden])]


report(lstm=train("LSTM"), gru=train("GRU"))
