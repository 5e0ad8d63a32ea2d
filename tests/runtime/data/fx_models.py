"""Models to trace; as a program it prints what torch.fx records of them, also in PyTorch."""

import math
import operator

import torch
import torch.nn.functional as F
from torch import fx, nn


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.down = None
        if stride != 1 or inputs != outputs:
            self.down = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        identity = x
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        if self.down is not None:
            identity = self.down(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.MaxPool2d(2))
        self.blocks = nn.Sequential(Block(8, 8), Block(8, 16, 2))
        self.fc = nn.Linear(16, 5)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        x = F.adaptive_avg_pool2d(x, (1, 1)).flatten(1)
        return F.log_softmax(self.fc(x), dim=1)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv, self.proj = nn.Linear(dim, dim * 3), nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = attn.softmax(dim=-1)
        return self.proj((attn @ v).transpose(1, 2).reshape(B, N, C))


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 4, 4)
        self.cls = nn.Parameter(torch.randn(1, 1, 16))
        self.pos = nn.Parameter(torch.randn(1, 5, 16))
        self.register_buffer("gain", torch.full((1,), 0.5))
        self.norm1, self.norm2 = nn.LayerNorm(16), nn.LayerNorm(16)
        self.attn = Attention(16, 4)
        self.mlp = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Dropout(0.0), nn.Linear(32, 16))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), dim=1) + self.pos
        x = x + self.attn(self.norm1(x))
        x = x + self.mlp(self.norm2(x)) * self.gain
        return self.head(x[:, 0])


class Assorted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.offset = torch.tensor([0.25])

    def forward(self, x, scale=2.0, flag=None):
        y = F.relu(x, inplace=False) * scale
        a, b = y.chunk(2, dim=1)
        z = torch.cat([a, b], dim=1) + self.weight - self.offset
        z = z[:, 1:, ..., None].squeeze(-1)
        z = F.dropout(z, 0.1, self.training)
        w = z.shape[0] + math.pi
        parts = (-z, z**2, 1 / (z + 9), z // 2, ~(z > 0), z @ z.t(), z.to(torch.float64), abs(z))
        both = operator.and_(z > 0, z < 1)
        return {"w": w * torch.tensor([1.0]), "parts": parts, "both": both}


MODELS = {
    "resnet": lambda: (ResNet().eval(), (torch.randn(2, 3, 32, 32),)),
    "vit": lambda: (VisionTransformer().eval(), (torch.randn(2, 3, 8, 8),)),
    "assorted": lambda: (Assorted().eval(), (torch.randn(4, 6),)),
    "mlp": lambda: (
        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)),
        (torch.randn(3, 4),),
    ),
}


def keyword_only(x: torch.Tensor, *args, k=3, **kwargs) -> torch.Tensor:
    return torch.add(x, k, alpha=2) + args[0]


def constants(x, y: int = 1):
    x = x.clamp(min=float("-inf"), max=1e30) + torch.tensor([1.0])
    x = x.to(torch.device("cpu")) * math.sqrt(x.size(0))
    return x.sum(dtype=torch.float32, dim=[0]), torch.zeros(2, dtype=torch.int64, device=x.device)


def handwritten():
    graph = fx.Graph()
    x = graph.placeholder("x")
    sigmoid = graph.call_function(torch.sigmoid, (x,))
    add = graph.call_method("add", (sigmoid, 1))
    graph.output((sigmoid, graph.call_function(operator.getitem, (add, slice(None, 3, None)))))
    return graph


def main():
    for make in MODELS.values():
        traced = fx.symbolic_trace(make()[0])
        print(traced.code)
        print(traced.graph)
    for function in (keyword_only, constants):
        print(fx.symbolic_trace(function).code)
    graph = handwritten()
    print(graph)
    print(graph.python_code("self").src)
    names = ["relu", "x", "x", "if", "torch", "print", "a.b", "1a", "x_1", "relu_5", "relu"]
    print([graph._graph_namespace.create_name(name, None) for name in names])


if __name__ == "__main__":
    main()
