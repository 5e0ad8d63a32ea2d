"""The classifier of pytorch/examples/mnist, on made-up digits: a CNN with dropout, Adadelta, StepLR."""

import torch
from report import report
from torch import nn, optim
from torch.nn import functional as F
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """Two convolutions and two linear layers."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 8, 3, 1), nn.Conv2d(8, 16, 3, 1)
        self.dropout1, self.dropout2 = nn.Dropout(0.25), nn.Dropout(0.5)
        self.fc1, self.fc2 = nn.Linear(16 * 12 * 12, 32), nn.Linear(32, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv2(F.relu(self.conv1(x)))), 2)
        x = F.relu(self.fc1(torch.flatten(self.dropout1(x), 1)))
        return F.log_softmax(self.fc2(self.dropout2(x)), dim=1)


torch.manual_seed(1)
labels = torch.randint(0, 10, (96,))
images = torch.randn(96, 1, 28, 28) + labels[:, None, None, None] / 5
loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
model = Net()
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
losses = []
for _ in range(2):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    scheduler.step()
model.eval()
with torch.no_grad():
    output = model(images)
correct = output.argmax(dim=1, keepdim=True).eq(labels.view(-1, 1)).sum()
report(losses=losses, output=output, correct=correct, rate=optimizer.param_groups[0]["lr"])
