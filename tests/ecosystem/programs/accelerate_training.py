"""accelerate: its Accelerator drives a training loop with accumulation and clipping, and saves it."""

import tempfile

from accelerate import Accelerator
from accelerate.utils import set_seed

import torch
from report import report
from torch.utils.data import DataLoader, TensorDataset

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
x = torch.randn(64, 8)
data = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=8, shuffle=True)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
model, optimizer, data, schedule = accelerator.prepare(model, optimizer, data, schedule)
losses = []
for _ in range(2):
    for inputs, targets in data:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(inputs), targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(accelerator.gather_for_metrics(loss.detach()))
with tempfile.TemporaryDirectory() as folder:
    accelerator.save_state(folder)
    before = [p.detach().clone() for p in model.parameters()]
    with torch.no_grad():
        for p in model.parameters():
            p.zero_()
    accelerator.load_state(folder)
same = all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
report(losses=losses, weights=before, same=same, processes=accelerator.num_processes)
